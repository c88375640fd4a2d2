#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

namespace crescendo::tests {

/// Slurm's tools as scripts of the test, which come first in PATH and keep a record of the calls.
class PlayedSlurm {
  public:
    PlayedSlurm() {
        answer("sbatch", "echo 17");
        answer("squeue", "echo 'n[1-3] n1'");
        answer("scontrol", R"(case $1 in show) printf 'n1\nn2\nn3\n' ;; esac)");
        answer("sinfo", "echo alloc*");
        answer("srun", "exit 1");
        answer("scancel", "true");
    }

    void answer(const std::string& tool, const std::string& script) const {
        const auto file = folder_ / tool;
        std::ofstream(file) << "#!/bin/sh\ncd " << folder_.path().string() << "\necho " << tool << " \"$@\" >>calls\n"
                            << script << "\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }

    int calls(const std::string& what) const {
        std::ifstream file(folder_ / "calls");
        int count = 0;
        for (std::string line; std::getline(file, line);) {
            count += line.starts_with(what) ? 1 : 0;
        }
        return count;
    }

    std::filesystem::path log() const { return folder_ / "log"; }

  private:
    TemporaryFolder folder_;
    Variable path_{"PATH", folder_.path().string() + ":" + std::getenv("PATH")};
};

/// A machine without Slurm's tools or any others.
struct NoSlurm {
    TemporaryFolder nothing;
    Variable path{"PATH", nothing.path()};
};

}  // namespace crescendo::tests
