#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/e2e/command.hpp"

namespace crescendo::tests {

/// The files that Crescendo writes in a trial's folder, and all files that a trial of write_leaving_sweep() leaves.
inline const std::set<std::string> records{"params.json", "trainer.log"};
inline const std::set<std::string> all_files{"link", "logs", "logs/1", "model", "params.json", "trainer.log"};

/// The loss of x=3 is 0.3. Every report leaves a model, from which the trial continues, a folder, and a link to the
/// file `precious`. The trial with x=8 fails after its first report. `began` lists trials that began without a model.
inline void write_leaving_sweep(const fs::path& folder, const std::string& keys, const std::string& pause = "0") {
    write_file(folder / "train.sh", R"(
cd "$CRESCENDO_TRIAL_DIR"
x=${1#--x=}
resource=0
[ -e model ] && resource=$(<model)
while ((++resource <= CRESCENDO_MAX_RESOURCE)); do
  sleep )" + pause + R"(
  mkdir -p logs && : >logs/1
  ln -sf ../../../precious link
  echo $resource >model.new && mv model.new model
  ((resource > 1)) || echo "$CRESCENDO_TRIAL" >>../../../began
  echo "{\"resource\": $resource, \"metrics\": {\"loss\": 0.$x}}" >&"$CRESCENDO_FD"
  read -r reply <&"$CRESCENDO_FD" || exit 0
  [[ $reply == *stop* ]] && exit 0
  [ "$x" = 8 ] && exit 7
done
exit 0
)");
    write_file(folder / "precious", "precious\n");
    write_file(folder / "sweep.yaml", "name: s\nmetric: {name: loss}\nmethod: grid\nmax_retries: 0\nslots: 2\n"
                                      "command: [bash, train.sh, \"${args}\"]\n" +
                                          keys);
}

inline std::set<std::string> files_of(const fs::path& folder, int trial) {
    std::set<std::string> files;
    const auto path = folder / "s/trials" / (std::string(5, '0') + std::to_string(trial));
    for (const auto& each : fs::recursive_directory_iterator(path)) {
        files.insert(each.path().lexically_relative(path));
    }
    return files;
}

/// The trials of the sweep by their x.
inline std::map<int, Json> trials_by_x(const fs::path& folder) {
    std::map<int, Json> trials;
    for (const auto& trial : run_crescendo(folder, {"trials", "s", "--format", "json"}).json()) {
        trials[trial.at("x").get<int>()] = trial;
    }
    return trials;
}

/// The files that each trial left, by its x.
inline std::map<int, std::set<std::string>> files_by_x(const fs::path& folder) {
    std::map<int, std::set<std::string>> files;
    for (const auto& [x, trial] : trials_by_x(folder)) {
        files[x] = files_of(folder, trial.at("trial").get<int>());
    }
    return files;
}

}  // namespace crescendo::tests
