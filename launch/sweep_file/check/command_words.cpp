#include "launch/sweep_file/check/command_words.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "launch/sweep_file/wandb_script.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// Whether a program is an interpreter: it runs the script that its first word without a dash names.
bool is_interpreter(const std::string& program) {
    auto name = fs::path(program).filename().string();
    name.erase(name.find_last_not_of("0123456789.") + 1);  // python3.11
    constexpr std::array known{"python",  "bash",  "sh",   "dash", "zsh", "ksh",
                               "Rscript", "julia", "perl", "ruby", "node"};
    return std::ranges::find(known, name) != known.end();
}

bool looks_like_a_script(const std::string& word) {
    const auto extension = fs::path(word).extension().string();
    constexpr std::array known{".py", ".sh", ".bash", ".R", ".r", ".jl", ".pl", ".rb", ".js"};
    return word.find('/') != std::string::npos || std::ranges::find(known, extension) != known.end();
}

}  // namespace

std::size_t find_program(const std::vector<std::string>& command) {
    if (fs::path(command[0]).filename() != "env") {
        return 0;
    }
    constexpr std::array with_value{"-u", "--unset", "-C", "--chdir"};
    std::size_t i = 1;
    while (i + 1 < command.size() && (command[i].starts_with('-') || command[i].find('=') != std::string::npos)) {
        if (command[i] == "-S") {
            return 0;  // env itself splits the rest into words
        }
        i += std::ranges::find(with_value, command[i]) == with_value.end() ? 1 : 2;
    }
    return i < command.size() ? i : 0;
}

std::optional<std::size_t> find_script(const std::vector<std::string>& command) {
    auto i = find_program(command);
    if (!is_interpreter(command[i])) {
        return {};
    }
    for (++i; i < command.size() && command[i].starts_with('-'); ++i) {
        if (command[i] == "-m" || command[i] == "-c") {
            return {};  // a module, or the program itself
        }
    }
    return i < command.size() && looks_like_a_script(command[i]) ? std::optional(i) : std::nullopt;
}

std::string file_of_module(const std::vector<std::string>& command) {
    const auto option = std::ranges::find(command, "-m");
    if (option == command.end() || std::next(option) == command.end() || *std::next(option) == wandb_adapter) {
        return {};
    }
    auto path = *std::next(option);
    std::ranges::replace(path, '.', '/');
    return path + ".py";
}

std::optional<std::size_t> find_launcher(const std::vector<std::string>& words) {
    constexpr std::array known{"torchrun",
                               "torch.distributed.run",
                               "torch.distributed.launch",
                               "accelerate",
                               "accelerate.commands.launch",
                               "deepspeed",
                               "mpirun",
                               "mpiexec",
                               "srun"};
    const auto found = std::ranges::find_if(words, [&](const std::string& word) {
        return std::ranges::find(known, fs::path(word).filename()) != known.end();
    });
    return found == words.end() ? std::nullopt : std::optional<std::size_t>(found - words.begin());
}

bool tells_trial(const std::vector<std::string>& command) {
    return std::ranges::any_of(command, [](const std::string& word) {
        return word.find("${trial") != std::string::npos || word.find("CRESCENDO_TRIAL") != std::string::npos;
    });
}

std::optional<std::size_t> find_shared_output(const std::vector<std::string>& command) {
    if (tells_trial(command)) {
        return {};
    }
    for (std::size_t i = 0; i < command.size(); ++i) {
        const bool is_alone = command[i] == "--output_dir" && i + 1 < command.size();
        const auto& folder = command[is_alone ? i + 1 : i];
        if ((is_alone || command[i].starts_with("--output_dir=")) && folder.find("${") == std::string::npos) {
            return i;
        }
    }
    return {};
}

bool is_run_by_conda(const std::vector<std::string>& command) {
    const auto program = find_program(command);
    const auto name = fs::path(command[program]).filename();
    const bool is_known = name == "conda" || name == "mamba" || name == "micromamba";
    return is_known && program + 1 < command.size() && command[program + 1] == "run";
}

bool is_held_back_by_conda(const std::vector<std::string>& command) {
    constexpr std::array streaming{"-s", "--live-stream", "--no-capture-output"};
    return is_run_by_conda(command) && fs::path(command[find_program(command)]).filename() == "conda" &&
           std::ranges::find_first_of(command, streaming) == command.end();
}

}  // namespace crescendo::launch
