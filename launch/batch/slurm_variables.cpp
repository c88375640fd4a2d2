#include "launch/batch/slurm_variables.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

namespace crescendo::launch {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array short_options{Pair{"-A", "account"},  Pair{"-C", "constraint"}, Pair{"-G", "gpus"},
                                   Pair{"-J", "job-name"}, Pair{"-k", "no-kill"},    Pair{"-m", "distribution"},
                                   Pair{"-M", "clusters"}, Pair{"-O", "overcommit"}, Pair{"-p", "partition"},
                                   Pair{"-q", "qos"},      Pair{"-S", "core-spec"},  Pair{"-t", "time"}};

/// Variables whose names differ from the option, or which change its meaning.
constexpr std::array other_variables{Pair{"cpu-freq", "CPU_FREQ_REQ"}, Pair{"mem", "MEM_PER_NODE"},
                                     Pair{"no-requeue", "REQUEUE"},    Pair{"output", "ERROR"},
                                     Pair{"requeue", "NO_REQUEUE"},    Pair{"time", "TIMELIMIT"}};

/// The long name, without dashes, of the option at the beginning of `word`; empty if there is none.
std::string_view option_of(std::string_view word) {
    if (word.starts_with("--")) {
        return word.substr(2, word.find('=') - 2);
    }
    const auto found = std::ranges::find_if(short_options, [&](auto& each) { return word.starts_with(each.first); });
    return found != short_options.end() ? found->second : "";
}

}  // namespace

std::set<std::string, std::less<>> overriding_variables(const std::filesystem::path& script) {
    std::set<std::string, std::less<>> names{"SBATCH_ARRAY_INX",  // one job runs the sweep, not many
                                             "SBATCH_WAIT"};      // sbatch would answer only after the sweep
    const auto add = [&](std::string name) {
        std::ranges::transform(name, name.begin(),
                               [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
        names.insert("SBATCH_" + name);
    };
    std::ifstream file(script);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("#SBATCH")) {
            continue;
        }
        std::erase(line, '"');
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const auto option = option_of(word);
            if (option.empty()) {
                continue;
            }
            add(std::string(option));
            if (option == "clusters") {
                names.insert("SLURM_CLUSTERS");
            }
            for (const auto& [name, variable] : other_variables) {
                if (name == option) {
                    add(std::string(variable));
                }
            }
        }
    }
    return names;
}

bool is_of_step(std::string_view variable) {
    constexpr std::array<std::string_view, 9> names{"SLURM_GTIDS",          "SLURM_LOCALID",        "SLURM_NODEID",
                                                    "SLURM_NPROCS",         "SLURM_NTASKS",         "SLURM_PROCID",
                                                    "SLURM_SRUN_COMM_HOST", "SLURM_SRUN_COMM_PORT", "SLURM_TASK_PID"};
    return variable.starts_with("SLURM_STEP") || std::ranges::find(names, variable) != names.end();
}

}  // namespace crescendo::launch
