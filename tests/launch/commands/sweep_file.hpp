#pragma once

#include "tests/e2e/command.hpp"

namespace crescendo::tests {

/// sweep.yaml: two trials, one after the other, of a program that reports once.
inline void write_sweep(const fs::path& folder, const std::string& command =
                                                    "echo '{\"resource\": 1, \"metrics\": "
                                                    "{\"loss\": 0.5}}' >&$CRESCENDO_FD") {
    write_file(folder / "train.sh", command + "\n");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 2\nmax_retries: 0\nslots: 1\n"
               "parameters: {x: {min: 0.0, max: 1.0}}\nscheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh]\n");
}

}  // namespace crescendo::tests
