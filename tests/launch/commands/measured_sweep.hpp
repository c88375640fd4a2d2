#pragma once

#include "tests/e2e/command.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"

namespace crescendo::tests {

/// A sweep `s` of two trials; the first is better and has a checkpoint. While the object lives, crescendo's trainer is
/// a script that says that 99 % of the answers come within 9 ms for trial 0, and within 8 ms for trial 1.
class MeasuredSweep {
  public:
    explicit MeasuredSweep(const std::string& data = "{train: d.h5:/train, test: d.h5:/test}") {
        auto file = two_trials(1);
        const std::string program = "command: [train]\n";
        file.replace(file.find(program), program.size(), "trainer: {data: " + data + "}\n");
        record_sweep(folder / "s", file, {{1, 0, 9, 0.9}, {2, 1, 9, 0.8}});
        const launch::SweepDirectory directory(folder / "s");
        directory.write_run({{"sweep", "s"}, {"working_directory", folder.path().string()}});
        for (const int trial : {0, 1}) {
            fs::create_directories(directory.trial(TrialId{trial}));
        }
        write_file(directory.checkpoint(TrialId{0}), "");
        write_file(folder / "trainer",
                   "#!/bin/bash\necho '{\"type\":\"hello\"}' >&$CRESCENDO_FD\n"
                   "while read -r order <&$CRESCENDO_FD; do\n"
                   "  echo \"$order\" >> orders\n"
                   "  trial=$(sed 's/.*\"trial\":\\([0-9]*\\).*/\\1/' <<< \"$order\")\n"
                   "  echo '{\"type\":\"latency\",\"samples\":7,\"mean\":0.0045,\"p50\":0.001,"
                   "\"p99\":0.00'$((9 - trial))',\"metrics\":{\"test_accuracy\":0.5}}' >&$CRESCENDO_FD\n"
                   "done\n");
        fs::permissions(folder / "trainer", fs::perms::owner_all);
    }

    Result run(const std::vector<std::string>& arguments) const { return run_crescendo(folder.path(), arguments); }

    /// The orders that the trainer got.
    std::vector<Json> orders() const {
        std::vector<Json> orders;
        std::ifstream file(folder / "orders");
        for (std::string line; std::getline(file, line);) {
            orders.push_back(Json::parse(line));
        }
        return orders;
    }

    TemporaryFolder folder;
    Variable trainer{"CRESCENDO_TRAINER", folder / "trainer"};
};

}  // namespace crescendo::tests
