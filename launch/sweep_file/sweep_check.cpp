#include "launch/sweep_file/sweep_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "core/check.hpp"
#include "launch/agent/child_process.hpp"
#include "launch/agent/command_macros.hpp"
#include "launch/record/value_json.hpp"

extern char** environ;

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) { return fs::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0; }

bool found_along_path(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return is_executable(program);
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (is_executable(fs::path(folder) / program)) {
            return true;
        }
    }
    return false;
}

/// Values that stand for all a parameter can take: its ends and one between, or each it lists.
struct Representatives {
    Json between(double min, double max) const { return {min, min + 0.618 * (max - min), max}; }

    Json operator()(const Uniform& d) const { return between(d.min, d.max); }
    Json operator()(const LogUniformValues& d) const { return between(d.min, d.max); }
    Json operator()(const IntUniform& d) const { return {d.min, d.max}; }
    Json operator()(const QUniform& d) const { return {d.min, d.max}; }
    Json operator()(const QLogUniformValues& d) const { return {d.min, d.max}; }
    Json operator()(const Categorical& d) const {
        auto list = Json::array();
        for (const auto& value : d.values) {
            list.push_back(launch::to_json(value));
        }
        return list;
    }
    Json operator()(const Constant& d) const { return Json::array({launch::to_json(d.value)}); }
};

struct Filtered {
    std::string output;
    int status = 0;  ///< as waitpid gives it

    /// "it ended by a signal: Segmentation fault"
    std::string ending() const {
        return WIFSIGNALED(status) ? fmt::format("it ended by a signal: {}", ::strsignal(WTERMSIG(status)))
                                   : fmt::format("it ended with exit status {}", WEXITSTATUS(status));
    }
};

/// Gives a short text to a program's standard input and returns what it prints.
Filtered filter(const std::string& program, const char* argument, const std::string& input) {
    std::array<int, 2> to{}, from{};
    if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("cannot create a pipe");
    }
    FileDescriptor to_read(to[0]), to_write(to[1]), from_read(from[0]), from_write(from[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to_read.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, from_write.get(), STDOUT_FILENO);
    std::string name = program, option = argument;
    std::array<char*, 3> command{name.data(), option.data(), nullptr};
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, command.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw std::runtime_error(fmt::format("cannot execute '{}': {}", program, std::strerror(error)));
    }
    to_read.reset();
    from_write.reset();
    [[maybe_unused]] const auto written = ::write(to_write.get(), input.data(), input.size());
    to_write.reset();
    Filtered result;
    std::array<char, 4096> buffer;
    for (ssize_t count; (count = ::read(from_read.get(), buffer.data(), buffer.size())) > 0;) {
        result.output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::waitpid(pid, &result.status, 0);
    return result;
}

std::vector<std::string> trainer_problems(const SweepFile& file, const std::string& trainer) {
    if (!is_executable(trainer)) {
        return {file.source.located(
            "trainer", fmt::format("needs crescendo-trainer, and {} is no program; this crescendo was built "
                                   "without LibTorch, so use `command:`, or build it with CRESCENDO_TORCH=ON",
                                   trainer))};
    }
    auto parameters = Json::object();
    for (const auto& parameter : file.spec.space.parameters()) {
        parameters[parameter.name] = std::visit(Representatives{}, parameter.distribution);
    }
    const auto checked =
        filter(trainer, "--check", Json{{"settings", *file.trainer}, {"parameters", parameters}}.dump());
    const auto answer = Json::parse(checked.output, nullptr, false);
    if (!answer.is_object() || !answer.contains("problems")) {
        return {file.source.located("trainer",
                                    fmt::format("{} --check gave no answer: {}", trainer, checked.ending()))};
    }
    std::vector<std::string> problems;
    for (const auto& problem : answer.at("problems")) {
        problems.push_back(
            file.source.located(problem.at("key").get<std::string>(), problem.at("message").get<std::string>()));
    }
    return problems;
}

std::vector<std::string> command_problems(const SweepFile& file) {
    try {
        const auto command = expand_command(*file.command, file.program, file.spec.space.sample(0, TrialId{0}));
        if (!found_along_path(command.front())) {
            return {file.source.located(
                "command",
                fmt::format("there is no program '{}'; give its path, or a name that PATH finds", command.front()))};
        }
    } catch (const InvalidInput& error) {
        return {file.source.located(error.key(), error.what())};
    }
    return {};
}

}  // namespace

ProgramPaths ProgramPaths::find() {
    const auto folder = fs::read_symlink("/proc/self/exe").parent_path();
    const char* trainer = std::getenv("CRESCENDO_TRAINER");
    return {trainer != nullptr ? trainer : (folder / "crescendo-trainer").string(),
            (folder / "crescendo-guard").string()};
}

std::vector<std::string> problems_of(const SweepFile& file, const ProgramPaths& paths) {
    if (file.trainer) {
        return trainer_problems(file, paths.trainer);
    }
    if (file.command) {
        return command_problems(file);
    }
    return {};
}

void require_sound(const SweepFile& file, const ProgramPaths& paths) {
    CRESCENDO_VALIDATE(file.trainer || file.command, "", "{}",
                       file.source.located("trainer",
                                           "is missing, and so is command, so there is nothing to train; "
                                           "give one of the two"));
    if (const auto problems = problems_of(file, paths); !problems.empty()) {
        throw InvalidInput(fmt::format("{}", fmt::join(problems, "\n")));
    }
}

}  // namespace crescendo::launch
