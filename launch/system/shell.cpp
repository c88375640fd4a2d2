#include "launch/system/shell.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "core/files/file_descriptor.hpp"
#include "launch/system/exit_status_variable.hpp"

extern char** environ;

namespace crescendo::launch {
namespace {

/// Means itself to a shell, wherever it stands.
bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_./:=,@%+-").find(c) != std::string::npos;
}

std::vector<char*> environment_without(const std::function<bool(std::string_view)>& hides) {
    const auto exit_status = std::string(exit_status_variable) + "=";
    std::vector<char*> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (!std::string_view(*entry).starts_with(exit_status) && (!hides || !hides(*entry))) {
            result.push_back(*entry);
        }
    }
    result.push_back(nullptr);
    return result;
}

/// Reads until the other end is closed; false where the time is over before.
bool read_all(const FileDescriptor& from, std::string& text, std::chrono::seconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd readable{from.get(), POLLIN, 0};
        if (left.count() <= 0) {
            return false;
        }
        if (::poll(&readable, 1, static_cast<int>(left.count())) <= 0) {
            continue;
        }
        const auto count = ::read(from.get(), buffer.data(), buffer.size());
        if (count == 0) {
            return true;
        }
        text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
}

/// A descriptor from which `text` can be read. A pipe would break where the tool does not read it.
FileDescriptor readable(const std::string& text) {
    FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw std::runtime_error(fmt::format("cannot hold the input of a tool in memory: {}", std::strerror(errno)));
    }
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

}  // namespace

bool is_plain_word(const std::string& text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_plain); }

std::string shell_quoted(const std::string& text) {
    if (is_plain_word(text)) {
        return text;
    }
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

std::string shell_quoted(const std::filesystem::path& path) { return shell_quoted(path.string()); }

bool is_executable(const std::filesystem::path& path) {
    std::error_code unreadable;  // a folder of PATH may be somebody else's
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
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("cannot create a pipe");
    }
    const FileDescriptor read_end(pipe[0]);
    FileDescriptor write_end(pipe[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const auto input = readable(options.input);
    ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    if (options.errors == ToolErrors::collected) {
        ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO);
    }
    auto words = command;
    std::vector<char*> arguments;
    for (auto& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(),
                                     environment_without(options.hides).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return {127, fmt::format("{}: {}", command.front(), std::strerror(error))};
    }
    write_end.reset();
    ToolResult result;
    if (!read_all(read_end, result.output, options.patience)) {
        ::kill(pid, SIGKILL);
        result.output += fmt::format("{} did not answer for {} s", command.front(), options.patience.count());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    while (result.output.ends_with('\n')) {
        result.output.pop_back();
    }
    return result;
}

}  // namespace crescendo::launch
