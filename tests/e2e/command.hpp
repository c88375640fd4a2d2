#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/await.hpp"
#include "tests/count.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

namespace crescendo::tests {

using Json = nlohmann::json;
namespace fs = std::filesystem;

inline std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

inline void write_file(const fs::path& path, const std::string& content) { std::ofstream(path) << content; }

/// Whether `run`, `resume` and `doctor` run on several ranks.
inline bool in_mpi_job() { return std::getenv("CRESCENDO_TEST_RANKS") != nullptr; }

/// The command line of crescendo. If CRESCENDO_TEST_RANKS is set, `run`, `resume` and `doctor` run as an MPI job with
/// that number of ranks.
inline std::vector<std::string> command_line(std::vector<std::string> arguments) {
    std::vector<std::string> line;
    if (in_mpi_job() && (arguments.at(0) == "run" || arguments.at(0) == "resume" || arguments.at(0) == "doctor")) {
        // Tests may run as root, and on fewer cores than ranks.
        line = {"mpirun", "--oversubscribe", "--allow-run-as-root", "-n", std::getenv("CRESCENDO_TEST_RANKS")};
        if (std::getenv("CRESCENDO_TEST_RECOVERY") != nullptr) {
            line.emplace_back("--enable-recovery");  // otherwise mpirun ends the job when a rank dies
        }
    }
    line.emplace_back(CRESCENDO_BINARY);
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
}

/// A running crescendo, as a shell would start it, with output to files and its own process group.
class Command {
  public:
    Command(const fs::path& directory, std::vector<std::string> arguments)
        : out_(directory / (".stdout" + std::to_string(++num_commands))),
          err_(directory / (".stderr" + std::to_string(num_commands))) {
        auto line = command_line(std::move(arguments));
        std::vector<char*> argv;
        for (auto& argument : line) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::setpgid(0, 0);
            const bool moved = ::chdir(directory.c_str()) == 0;
            ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
            ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
            if (moved) {
                ::execvp(argv[0], argv.data());
            }
            ::_exit(127);
        }
    }
    ~Command() {
        if (!ended_) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    Command(Command&&) = delete;
    Command& operator=(Command&&) = delete;

    pid_t pid() const { return pid_; }

    /// Sends a signal to crescendo. In an MPI job it goes to every rank, as from a batch system, but not to mpirun,
    /// which ends the job a second later, whatever the ranks still have to save.
    void signal(int number) const {
        for (const pid_t process : in_mpi_job() ? ranks() : std::vector{pid_}) {
            ::kill(process, number);
        }
    }

    /// The processes of an MPI job, by rank.
    std::vector<pid_t> ranks() const {
        const auto pid = std::to_string(pid_);
        std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
        return {std::istream_iterator<pid_t>(children), {}};
    }

    /// Exit status, or 128 + signal.
    int wait() {
        await("crescendo ends", [&] { return ended_ || (ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_); });
        return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
    }

    std::string out() const { return content_of(out_); }
    std::string err() const { return content_of(err_); }

  private:
    static inline int num_commands = 0;

    fs::path out_;
    fs::path err_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool ended_ = false;
};

struct Result {
    int code;
    std::string out;
    std::string err;

    Json json() const { return Json::parse(out); }
};

/// Runs crescendo to its end in `directory`.
inline Result run_crescendo(const fs::path& directory, const std::vector<std::string>& arguments) {
    Command command(directory, arguments);
    const int code = command.wait();
    return {code, command.out(), command.err()};
}

/// The records of a sweep's journal.
inline std::vector<Json> journal_of(const fs::path& sweep) {
    std::vector<Json> records;
    std::ifstream file(sweep / "journal.jsonl");
    for (std::string line; std::getline(file, line);) {
        auto record = Json::parse(line, nullptr, false);
        if (!record.is_discarded()) {
            records.push_back(std::move(record));
        }
    }
    return records;
}

/// Counts complete lines. Tests call this every few milliseconds, which leaves no time to parse JSON.
inline std::size_t num_reports(const fs::path& sweep) {
    const auto journal = content_of(sweep / "journal.jsonl");
    return count(journal.substr(0, journal.rfind('\n') + 1), R"("event":"trial_reported")");
}

/// Processes that work in a folder: crescendo, its trainers, and whatever they started.
inline std::vector<long> processes_in(const fs::path& folder) {
    std::vector<long> result;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const auto name = entry.path().filename().string();
        std::error_code gone;
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            fs::read_symlink(entry.path() / "cwd", gone) == folder && is_alive(std::stol(name))) {
            result.push_back(std::stol(name));
        }
    }
    return result;
}

/// While this lives, commands start as `count` ranks, which survive each other's death. A dead rank is noticed after
/// `heartbeat` seconds.
struct Ranks {
    Ranks(const char* count, const char* heartbeat)
        : num_ranks("CRESCENDO_TEST_RANKS", count), timeout("CRESCENDO_HEARTBEAT_TIMEOUT", heartbeat) {}

    TemporaryFolder shared_memory;  ///< of Open MPI; in /dev/shm, that of killed ranks would stay
    Variable num_ranks;
    Variable timeout;
    Variable recovery{"CRESCENDO_TEST_RECOVERY", "1"};
    Variable backing_directory{"OMPI_MCA_btl_vader_backing_directory", shared_memory.path()};
};

}  // namespace crescendo::tests
