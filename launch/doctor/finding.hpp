#pragma once

#include <string>
#include <vector>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

enum class Verdict {
    ok,
    warning,  ///< a sweep runs, but slower or with less safety than it could
    problem   ///< it stands in a sweep's way
};

/// "ok", "warning", "problem"
const char* name_of(Verdict verdict);

/// What `crescendo doctor` found out about one thing.
struct Finding {
    Verdict verdict = Verdict::ok;
    std::string about;        ///< "files", "MPI", …
    std::string observation;  ///< and why it matters, where it is not ok
    std::string remedy = {};  ///< empty where nothing needs to be done

    friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, verdict, about, observation, remedy)

/// 1536 → "1.5 KiB"
std::string size_text(double bytes);

}  // namespace crescendo::launch
