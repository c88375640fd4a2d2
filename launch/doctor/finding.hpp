#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

enum class Verdict {
    ok,
    warning,  ///< a sweep runs, but slower or with less safety than it could
    problem   ///< a sweep cannot run
};

inline constexpr Words verdicts{
    {std::pair{Verdict::ok, "ok"}, {Verdict::warning, "warning"}, {Verdict::problem, "problem"}}};

/// What `crescendo doctor` found about one subject.
struct Finding {
    Verdict verdict = Verdict::ok;
    std::string about;        ///< the subject: "files", "MPI", …
    std::string observation;  ///< what was found, and why it matters if it is not ok
    std::string remedy = {};  ///< what to do; empty if nothing is needed

    friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, verdict, about, observation, remedy)

/// A size with its unit: 1536 → "1.5 KiB".
std::string size_text(double bytes);

}  // namespace crescendo::launch
