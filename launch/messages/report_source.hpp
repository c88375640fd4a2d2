#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Where the reports of a program are that does not send them, and is not told the decisions about them.
struct ReportSource {
    std::vector<std::string> patterns;  ///< as ReportPattern takes them; empty: the lines are reports in JSON
    std::string file;                   ///< a file in the trial's folder; empty: what the program prints
    std::int64_t counts_from = 1;       ///< what the program calls its first epoch

    bool is_printed() const { return file.empty(); }

    friend bool operator==(const ReportSource&, const ReportSource&) = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReportSource, patterns, file, counts_from)

}  // namespace crescendo::launch
