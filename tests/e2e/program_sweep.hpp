#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/e2e/command.hpp"

namespace crescendo::tests {

/// A Bash trainer whose loss falls with the resource towards its parameter x. `before_report` runs before each report.
inline void write_sweep(const fs::path& folder, const std::string& before_report = ":",
                        const std::string& more = "", const std::string& scheduler = "asha") {
    write_file(folder / "train.sh", R"(
x=${1#--x=}
mkdir -p "$CRESCENDO_TRIAL_DIR"
for ((r = 1; r <= CRESCENDO_MAX_RESOURCE; r++)); do
  )" + before_report + R"(
  echo "{\"resource\": $r, \"metrics\": {\"loss\": $x.$((10 - r))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
done
exit 0
)");
    write_file(folder / "sweep.yaml", R"(
name: bash
metric: {name: loss, goal: minimize}
run_cap: 9
seed: 3
slots: 2
parameters: {x: {min: 1, max: 1000}}
scheduler: {type: )" + scheduler + R"(, min: 1, max: 9, reduction_factor: 3}
command: [bash, train.sh, "${args}"]
)" + more);
}

inline Json trials_of(const fs::path& folder) {
    return run_crescendo(folder, {"trials", "bash", "--format", "json"}).json();
}

inline Json status_of(const fs::path& folder) {
    return run_crescendo(folder, {"status", "bash", "--format", "json"}).json();
}

inline Json best_of(const fs::path& folder) {
    return run_crescendo(folder, {"best", "bash", "--format", "json"}).json();
}

/// Trial → resources in the order of the journal.
inline std::map<int, std::vector<int>> resources_by_trial(const fs::path& sweep) {
    std::map<int, std::vector<int>> result;
    for (const auto& record : journal_of(sweep)) {
        if (record.value("event", "") == "trial_reported") {
            result[record.at("trial")].push_back(record.at("resource"));
        }
    }
    return result;
}

}  // namespace crescendo::tests
