#include "launch/process/shell.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "core/files/file_descriptor.hpp"
#include "core/mapped.hpp"
#include "launch/process/child_process.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/process/pipe.hpp"

extern char** environ;

namespace crescendo::launch {
namespace {

std::vector<char*> environment_without(const std::function<bool(std::string_view)>& hides) {
    std::vector<char*> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view name(*entry, std::strcspn(*entry, "="));
        if (name != exit_status_variable && (!hides || !hides(name))) {
            result.push_back(*entry);
        }
    }
    result.push_back(nullptr);
    return result;
}

/// Reads from both pipes until their other ends are closed. Returns false if `patience` is over first.
bool read_both(const Pipe& output, const Pipe& errors, ToolResult& result, std::chrono::seconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::array<pollfd, 2> sources{pollfd{output.read_end.get(), POLLIN, 0}, pollfd{errors.read_end.get(), POLLIN, 0}};
    const std::array<std::string*, 2> texts{&result.output, &result.errors};
    std::array<char, 4096> buffer{};
    while (sources[0].fd >= 0 || sources[1].fd >= 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return false;
        }
        if (::poll(sources.data(), sources.size(), static_cast<int>(left.count())) <= 0) {
            continue;
        }
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if (sources[i].revents == 0) {
                continue;
            }
            const auto count = ::read(sources[i].fd, buffer.data(), buffer.size());
            if (count == 0) {
                sources[i].fd = -1;  // poll() ignores it
            }
            texts[i]->append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        }
    }
    return true;
}

void drop_last_line_feeds(std::string& text) { text.erase(text.find_last_not_of('\n') + 1); }

/// A descriptor from which `text` can be read. A pipe would break if the tool does not read it.
FileDescriptor readable(const std::string& text) {
    FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw std::runtime_error(fmt::format("cannot keep a tool's input in memory: {}", std::strerror(errno)));
    }
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

}  // namespace

bool is_executable(const std::filesystem::path& path) {
    std::error_code unreadable;  // a folder of PATH may be another user's
    return std::filesystem::is_regular_file(path, unreadable) && ::access(path.c_str(), X_OK) == 0;
}

bool is_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return is_executable(name);
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (is_executable(std::filesystem::path(folder) / name)) {
            return true;
        }
    }
    return false;
}

ToolResult run_tool(const std::vector<std::string>& command, const ToolOptions& options) {
    Pipe output;
    Pipe errors;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const auto input = readable(options.input);
    ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write_end.get(), STDOUT_FILENO);
    if (options.errors == ToolErrors::collected) {
        ::posix_spawn_file_actions_adddup2(&actions, errors.write_end.get(), STDERR_FILENO);
    }
    auto words = command;
    auto arguments = mapped(words, [](std::string& word) { return word.data(); });
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(),
                                     environment_without(options.hides).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return {.code = 127, .errors = fmt::format("{}: {}", command.front(), std::strerror(error))};
    }
    output.write_end.reset();
    errors.write_end.reset();
    ToolResult result;
    const bool has_closed_all = read_both(output, errors, result, options.patience);
    const auto status = has_closed_all ? wait_for_end(pid, options.patience) : std::nullopt;
    drop_last_line_feeds(result.output);
    drop_last_line_feeds(result.errors);
    if (status) {
        result.code = status->code;
    } else {
        result.is_late = true;
        ::kill(pid, SIGKILL);
        result.code = wait_for_end(pid, time_to_die).value_or(ExitStatus{128 + SIGKILL, SIGKILL}).code;
        result.errors += fmt::format("{}{} did not answer for {} s", result.errors.empty() ? "" : "\n", command.front(),
                                     options.patience.count());
    }
    return result;
}

}  // namespace crescendo::launch
