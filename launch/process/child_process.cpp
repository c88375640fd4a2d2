#include "launch/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/files/durable_file.hpp"
#include "core/trial_protocol.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/process/pipe.hpp"

namespace crescendo::launch {
namespace {

/// The system refused with `errno`, perhaps only temporarily.
std::system_error refusal(const std::string& what) { return {errno, std::generic_category(), what}; }

std::pair<FileDescriptor, FileDescriptor> socket_pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw refusal("cannot create a socket pair");
    }
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// `status` comes from waitpid().
ExitStatus exit_status_from(int status) {
    return WIFSIGNALED(status) ? ExitStatus{128 + WTERMSIG(status), WTERMSIG(status)}
                               : ExitStatus{WEXITSTATUS(status), 0};
}

/// Opens the file for what a process prints; none if it prints where we do.
FileDescriptor open_log(const ProcessOptions& options) {
    if (options.log.empty()) {
        return {};
    }
    FileDescriptor log(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!log) {
        throw WriteError(errno, std::generic_category(), "cannot write " + options.log);
    }
    if (options.holds_log) {
        ::flock(log.get(), LOCK_EX | LOCK_NB);  // held while any process has a copy of this descriptor
    }
    return log;
}

/// Our environment as NAME=VALUE entries, without what the launcher, the job script or another sweep set for us, and
/// overridden by `settings`.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& settings,
                                          const std::function<bool(std::string_view)>& hides) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view name(*entry, std::strcspn(*entry, "="));
        const bool replaced = std::any_of(settings.begin(), settings.end(), [&](auto& s) { return s.first == name; });
        const bool is_ours = name == exit_status_variable || name == protocol::fd_variable;
        if (!replaced && !is_of_launcher(name) && !is_ours && (!hides || !hides(name))) {
            result.emplace_back(*entry);
        }
    }
    for (const auto& [name, value] : settings) {
        result.push_back(fmt::format("{}={}", name, value));
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (auto& string : strings) {
        result.push_back(string.data());
    }
    result.push_back(nullptr);
    return result;
}

/// A set of CPUs in the kernel's form, of any size.
class CpuMask {
  public:
    explicit CpuMask(const std::vector<int>& cpus) {
        if (!cpus.empty()) {
            const auto count = static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end())) + 1;
            words_.resize(CPU_ALLOC_SIZE(count) / sizeof(unsigned long));
            for (const int cpu : cpus) {
                CPU_SET_S(cpu, bytes(), reinterpret_cast<cpu_set_t*>(words_.data()));
            }
        }
    }

    /// Safe between fork and exec. Ignores failures, because a cpuset may have changed meanwhile.
    void apply() const {
        if (!words_.empty()) {
            ::sched_setaffinity(0, bytes(), reinterpret_cast<const cpu_set_t*>(words_.data()));
        }
    }

  private:
    std::size_t bytes() const { return words_.size() * sizeof words_[0]; }

    std::vector<unsigned long> words_;
};

// Older headers lack these numbers, which are the same on all architectures.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/// Libraries may open descriptors without this flag. Safe between fork and exec.
void close_on_exec_from(int first) {
    constexpr unsigned close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC
    constexpr int most = 4096;             // for kernels before 5.11, without the call or the flag
    if (::syscall(SYS_close_range, first, ~0U, close_on_exec) != 0) {
        for (int descriptor = first; descriptor < most; ++descriptor) {
            ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        }
    }
}

/// The child's code between fork and exec. It may only make system calls.
[[noreturn]] void become(const ProcessOptions& options, const CpuMask& cpus, char** command, char** environment,
                         int socket, int log, int error_pipe, pid_t parent) {
    auto give_up = [&] {
        const int error = errno;
        [[maybe_unused]] const auto written = ::write(error_pipe, &error, sizeof error);
        ::_exit(127);
    };

    ::setpgid(0, 0);
    cpus.apply();
    ::prctl(PR_SET_PDEATHSIG, options.death_signal);
    if (::getppid() != parent) {  // the parent died before the line above
        ::_exit(127);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) {
        ::signal(signal, SIG_DFL);
    }
    // A batch system sends this warning signal to every process of the job, and most would die of it.
    ::signal(SIGUSR2, SIG_IGN);
    if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) {
        give_up();
    }
    if (log >= 0 && (::dup2(log, STDOUT_FILENO) < 0 || ::dup2(log, STDERR_FILENO) < 0)) {
        give_up();
    }
    // First move the pipe out of the way, in case it is at the socket's descriptor.
    error_pipe = ::fcntl(error_pipe, F_DUPFD_CLOEXEC, ChildProcess::protocol_fd + 1);
    if (socket == ChildProcess::protocol_fd) {
        ::fcntl(socket, F_SETFD, 0);
    } else if (socket >= 0 && ::dup2(socket, ChildProcess::protocol_fd) < 0) {
        give_up();
    }
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(null, STDIN_FILENO);
    const int first_other = socket < 0 ? ChildProcess::protocol_fd : ChildProcess::protocol_fd + 1;
    close_on_exec_from(first_other);
    ::execvpe(command[0], command, environment);
    give_up();
    ::_exit(127);
}

}  // namespace

bool is_of_launcher(std::string_view variable) {
    constexpr std::array<std::string_view, 4> beginnings{"OMPI_", "PMIX", "PMI_", "ORTE_"};
    return std::any_of(beginnings.begin(), beginnings.end(), [&](auto each) { return variable.starts_with(each); });
}

std::string to_string(const ExitStatus& status) {
    const int signal = status.signal != 0 ? status.signal : status.code > 128 ? status.code - 128 : 0;
    if (signal > 0 && signal < NSIG) {
        return fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
    }
    return fmt::format("exit status {}", status.code);
}

std::system_error process_refusal(int error) {
    return {error, std::generic_category(),
            error == EAGAIN ? "cannot start a process, because `ulimit -u` or the container allows no more"
                            : "cannot start a process"};
}

std::optional<ExitStatus> wait_for_end(pid_t pid, std::chrono::seconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    for (int status = 0;;) {
        if (::waitpid(pid, &status, WNOHANG) != 0) {
            return exit_status_from(status);
        }
        if (std::chrono::steady_clock::now() >= end) {
            return {};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

bool is_held(const std::string& log) {
    const FileDescriptor file(::open(log.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

ChildProcess::ChildProcess(const ProcessOptions& options) {
    auto [ours, theirs] = socket_pair();
    Pipe errors;
    const auto log = open_log(options);
    auto settings = options.environment;
    if (options.has_socket) {
        settings.emplace_back(protocol::fd_variable, std::to_string(protocol_fd));
    } else {
        theirs.reset();
    }
    auto environment = environment_with(settings, options.hides);
    auto command = options.command;
    auto environment_pointers = pointers(environment);
    auto command_pointers = pointers(command);

    const CpuMask cpus(options.cpus);

    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
        throw process_refusal(errno);
    }
    if (pid_ == 0) {
        become(options, cpus, command_pointers.data(), environment_pointers.data(), theirs.get(), log.get(),
               errors.write_end.get(), parent);
    }
    ::setpgid(pid_, pid_);  // in both processes, so that it is set whichever runs first
    errors.write_end.reset();
    int error = 0;
    if (::read(errors.read_end.get(), &error, sizeof error) == sizeof error) {
        ::waitpid(pid_, nullptr, 0);
        if (error == E2BIG) {
            throw CommandTooLong(
                "its command is too long for the system, which limits one argument to 128 KiB, and all arguments with "
                "the environment to a quarter of `ulimit -s`; let the program read long values from a file, such as "
                "params.json in $CRESCENDO_TRIAL_DIR");
        }
        const bool lacks_folder = !options.directory.empty() && ::access(options.directory.c_str(), X_OK) != 0;
        const std::system_error refused(error, std::generic_category(),
                                        fmt::format("cannot execute '{}'{}", options.command.front(),
                                                    lacks_folder ? " in the folder " + options.directory : ""));
        constexpr std::array of_the_program{ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENOEXEC};
        if (std::ranges::find(of_the_program, error) != of_the_program.end()) {
            throw std::runtime_error(refused.what());
        }
        throw refused;
    }
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    socket_ = std::move(ours);
    pid_fd_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!pid_fd_) {
        const auto refused = refusal("cannot watch a process");
        signal_group(SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        if (refused.code() == std::errc::function_not_supported ||
            refused.code() == std::errc::operation_not_permitted) {
            throw std::runtime_error(
                "Crescendo needs Linux 5.3 or newer, and a container that allows pidfd_open, the call that reports the "
                "end of a process");
        }
        throw refused;
    }
    ::fcntl(pid_fd_.get(), F_SETFD, FD_CLOEXEC);
}

ChildProcess::~ChildProcess() {
    if (!try_wait()) {
        signal_group(SIGKILL);
        wait_for_end(pid_, time_to_die);
    }
}

std::optional<ExitStatus> ChildProcess::try_wait() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = exit_status_from(status);
    }
    return status_;
}

void ChildProcess::signal_group(int signal) const {
    if (!status_) {
        ::kill(-pid_, signal);
    }
}

void ChildProcess::signal(int signal) const {
    if (!status_) {
        ::kill(pid_, signal);
    }
}

}  // namespace crescendo::launch
