#include "launch/directory/sweep_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string_view>
#include <thread>

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "core/files/writing.hpp"
#include "core/shell_words.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/json/json.hpp"
#include "launch/process/job_script_variables.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds between_beats{5};
/// Used if no file of ours can be created to compare times. Our clock may be wrong by some minutes.
constexpr std::chrono::seconds patience_by_our_clock{600};
/// A coordinator may spend this long in one write of its journal, or in one look at a slow file system.
constexpr std::chrono::seconds patience{60};
/// Without flock, two processes that start within this time see each other.
constexpr std::chrono::seconds same_moment{1};

std::string first_line(const std::string& content) { return content.substr(0, content.find('\n')); }

/// The file's content; empty if the file does not exist or cannot be read.
std::string content_of(const fs::path& path) {
    try {
        return read_regular_file(path);
    } catch (const std::exception&) {
        return {};
    }
}

std::string boot_id() { return first_line(content_of("/proc/sys/kernel/random/boot_id")); }

/// Ticks from boot to the start of a process; nothing if there is no such process.
std::optional<std::int64_t> start_of(int pid) {
    const auto stat = content_of(fmt::format("/proc/{}/stat", pid));
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos || stat.compare(name_end, 3, ") Z") == 0) {
        return {};
    }
    std::istringstream fields(stat.substr(name_end + 1));
    std::string field;
    for (int i = 0; i < 19; ++i) {  // the state is field 3, the start field 22
        fields >> field;
    }
    std::int64_t start = 0;
    fields >> start;
    return start;
}

/// The id with which others can ask about our job, if we are in one.
std::string id_of_own_job(const SweepDirectory& directory) {
    const auto system = batch_system();
    const auto job = system->own_job();
    if (!job) {
        return "";
    }
    const auto noted = directory.job();
    return system->is_own_job(noted) ? noted : job->id;
}

LockHolder ourselves(const SweepDirectory& directory) {
    return {host_name(),
            ::getpid(),
            boot_id(),
            start_of(::getpid()).value_or(0),
            id_of_own_job(directory),
            fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr))),
            ::geteuid(),
            fs::absolute(directory.path()).string()};
}

/// The content of a lock file: a sentence for people, and the same as JSON.
std::string to_content(const LockHolder& holder) {
    Json json;
    for_each_field(LockHolder::fields(), [&](const auto& field) { json[field.key] = field.of(holder); });
    // A path that is not UTF-8 then matches no folder, as if the sweep had been moved.
    return holder.text() + "\n" + one_line(json) + "\n";
}

/// The holder; nothing if the file is empty, incomplete, or was edited.
std::optional<LockHolder> holder_from(const std::string& content) try {
    const auto json = Json::parse(content.substr(std::min(content.size(), content.find('\n') + 1)), nullptr, false);
    if (!json.is_object()) {
        return {};
    }
    LockHolder holder;
    for_each_field(LockHolder::fields(), [&](const auto& field) {
        auto& value = field.of(holder);
        value = json.value(field.key, value);
    });
    return holder;
} catch (const Json::exception&) {  // a value has the wrong type
    return {};
}

double modified(const struct stat& file) {
    return static_cast<double>(file.st_mtim.tv_sec) + static_cast<double>(file.st_mtim.tv_nsec) * 1e-9;
}

/// Seconds since the file was touched, by the clock that set its time: another file is touched and compared, because
/// the clocks of nodes and servers differ. Nothing if no file can be created here, or if its name is taken: in another
/// user's folder, that name may be a link to one of our files.
std::optional<double> age_of(const fs::path& path) {
    const auto probe_path = fmt::format("{}.{}.{}", path.string(), host_name(), ::getpid());
    const FileDescriptor probe(::open(probe_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    // Opened rather than only checked, which makes an NFS client ask its server.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat now {
    }, then{};
    const bool known = probe && file && ::futimens(probe.get(), nullptr) == 0 && ::fstat(probe.get(), &now) == 0 &&
                       ::fstat(file.get(), &then) == 0;
    if (probe) {
        ::unlink(probe_path.c_str());
    }
    return known ? std::optional(modified(now) - modified(then)) : std::nullopt;
}

/// Whether the holder lives, if flock does not show it.
bool is_alive(const LockHolder& holder, const fs::path& path, JobWatch* watch) {
    if (SweepDirectory(path.parent_path()).is_copy_of(holder.directory)) {
        return false;  // it works on the original
    }
    if (holder.host == host_name() && holder.boot == boot_id()) {
        return start_of(holder.pid) == holder.start;
    }
    if (!holder.job.empty()) {
        if (batch_system()->is_own_job(holder.job)) {
            if (std::getenv(exit_status_variable) != nullptr) {
                return false;  // the job script starts a step only after the previous one
            }
            // A user's own allocation may have several steps: the file's age decides.
        } else if (const auto state = JobWatch::state(holder.job, watch);
                   state && (state != JobState::gone || holder.uid == ::geteuid())) {
            // If jobs are private, Slurm shows none to other users.
            return state == JobState::running;
        }
    }
    if (const auto age = age_of(path)) {
        return *age < static_cast<double>(patience.count());
    }
    struct stat file {};
    return ::stat(path.c_str(), &file) != 0 || static_cast<double>(std::time(nullptr)) - modified(file) <
                                                   static_cast<double>(patience_by_our_clock.count());
}

/// Returns false if another process holds the lock, even after a moment: a process that only asks for the holder also
/// locks the file briefly.
bool take(const FileDescriptor& file) {
    for (int attempt = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++attempt) {
        if (attempt == 10) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
}

/// Writes into the file, which was just opened. Throws WriteError.
void replace_content(const FileDescriptor& file, std::string_view content, const fs::path& path) {
    if (::ftruncate(file.get(), 0) != 0) {
        cannot_write(path);
    }
    write_all(file, content, path);
    if (::fdatasync(file.get()) != 0) {  // an NFS client would delay the write
        cannot_write(path);
    }
}

}  // namespace

std::string LockHolder::text() const {
    return fmt::format("process {} on {} since {}{}", pid, host, since,
                       job.empty() ? "" : fmt::format(" (job {})", job));
}

SweepLock::SweepLock(const SweepDirectory& directory, LockUse use) : path_(directory.lock()) {
    const auto where = directory.path().string();
    const auto refuse = [&](const std::string& content) {
        const auto line = first_line(content);
        throw InvalidInput(fmt::format(
            "{}: {} is using this directory, and two processes would overwrite each other's files; `crescendo stop "
            "{}` ends it, `crescendo status {}` shows it. If it died on a node that cannot be reached, try again {} "
            "s after its last sign of life",
            where, line.empty() ? "an unknown process" : line, shell_quoted(where), shell_quoted(where),
            patience.count()));
    };
    file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file_) {
        cannot_open(path_);
    }
    const bool refused = !take(file_);
    const auto previous = content_of(path_);
    const auto holder = holder_from(previous);
    if (refused || (holder && is_alive(*holder, path_, nullptr))) {
        refuse(previous);
    }
    if (!previous.empty()) {
        abandoned_by_ = first_line(previous);
    }
    content_ = to_content(ourselves(directory));
    try {
        replace_content(file_, content_, path_);
    } catch (const WriteError& error) {
        const int reason = error.code().value();
        if (use != LockUse::removing || (reason != ENOSPC && reason != EDQUOT)) {
            cannot_open(path_, reason);
        }
        content_ = content_of(path_);  // the old content, if even truncating needs space (Btrfs, ZFS)
    }
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        // flock did not exclude a process that started at the same moment, so the last writer has the sweep.
        std::this_thread::sleep_for(same_moment);
        if (const auto last = content_of(path_); last != content_) {
            refuse(last);
        }
    }
}

SweepLock::~SweepLock() { release(); }

void SweepLock::release() {
    if (file_ && content_of(path_) == content_) {
        [[maybe_unused]] const int truncated = ::ftruncate(file_.get(), 0);
    }
    file_.reset();
}

void SweepLock::beat() {
    if (Clock::now() - beat_ < between_beats) {
        return;
    }
    beat_ = Clock::now();
    std::string content;
    try {
        content = read_regular_file(path_);
    } catch (const std::exception& error) {
        if (std::error_code unknown; !fs::exists(path_, unknown) && !unknown) {
            throw DirectoryError(path_.string() + ": is gone", "put it back where it was");
        }
        throw DirectoryError(error.what());
    }
    if (content != content_ && !holder_from(content)) {
        throw DirectoryError(path_.string() + ": was emptied or damaged, so no process holds the sweep any longer",
                             "leave the file alone");
    }
    if (content != content_) {
        throw std::runtime_error(fmt::format(
            "{}: {} took over this sweep, because this process gave no sign of life; every report that was answered "
            "is in the journal",
            path_.string(), first_line(content)));
    }
    ::futimens(file_.get(), nullptr);
}

std::optional<std::string> SweepLock::holder(const SweepDirectory& directory, JobWatch* watch) {
    const FileDescriptor file(::open(directory.lock().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
        return {};
    }
    const auto content = content_of(directory.lock());
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return first_line(content);
    }
    ::flock(file.get(), LOCK_UN);
    const auto holder = holder_from(content);
    return holder && is_alive(*holder, directory.lock(), watch) ? std::optional(first_line(content)) : std::nullopt;
}

}  // namespace crescendo::launch
