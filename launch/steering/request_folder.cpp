#include "launch/steering/request_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/crc32.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/files/host_name.hpp"
#include "core/files/paths_in.hpp"
#include "core/files/read_all.hpp"
#include "core/shell_words.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/files/own_folder.hpp"
#include "launch/files/read_file.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

constexpr int version = 1;
constexpr std::string_view request_ending = ".request";
constexpr std::string_view answer_ending = ".answer";
constexpr off_t longest = 1 << 16;  // bytes

/// A path or a note may have bytes that are not UTF-8; they must not cost the sender the request or its answer.
std::string crc_of(const Json& request) { return crc32_text(one_line(request)); }

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& reason) {
    const bool is_forbidden = reason == std::errc::permission_denied || reason == std::errc::operation_not_permitted;
    throw InvalidInput(fmt::format("{}: cannot be written ({}); {}", path.string(), reason.message(),
                                   is_forbidden ? "only the user who runs a sweep may steer it"
                                                : "the request was not sent; try again once this is fixed"));
}

/// The file gets its name once it is complete.
void write_whole(const fs::path& path, const Json& json) {
    try {
        replace_file(path, one_line(json) + "\n", Durability::none);
    } catch (const WriteError& error) {
        cannot_write(path, error.code());
    }
}

/// Names sort by creation time.
std::string new_name() {
    static int count = 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format("{:020}-{}-{}-{}", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(),
                       host_name(), ::getpid(), ++count);
}

/// The bytes of a request's file. Throws InvalidInput if our user did not write it.
std::string content_of(const fs::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    const auto unreadable = [] {
        return InvalidInput(fmt::format("it cannot be read ({}); send it again", std::strerror(errno)));
    };
    if (!file || ::fstat(file.get(), &status) != 0) {
        throw unreadable();
    }
    CRESCENDO_VALIDATE(S_ISREG(status.st_mode), "",
                       "it is not a regular file; use crescendo's commands to send requests");
    CRESCENDO_VALIDATE(status.st_uid == ::geteuid(), "",
                       "it belongs to user {}, but the sweep runs as user {}, and only that user may steer it",
                       status.st_uid, ::geteuid());
    CRESCENDO_VALIDATE(status.st_size <= longest, "", "it has {} bytes, but a request has at most {}; write less",
                       status.st_size, longest);
    auto content = read_all(file);
    if (!content) {
        throw unreadable();
    }
    return *std::move(content);
}

Request read_request(const fs::path& path) {
    const auto json = Json::parse(content_of(path), nullptr, false);
    CRESCENDO_VALIDATE(json.is_object() && json.contains("version"), "",
                       "it is incomplete or not a request; send it again");
    CRESCENDO_VALIDATE(json["version"] == version, "",
                       "it was written by another version of crescendo; use the one that runs the sweep, {}",
                       CRESCENDO_VERSION);
    CRESCENDO_VALIDATE(json.contains("request") && json.contains("crc") && json["crc"] == crc_of(json["request"]), "",
                       "it is damaged (its checksum does not match); send it again");
    return request_from_json(json["request"]);
}

/// The answer to a request that was taken: it appears before the request is removed, or never.
Answer late_answer(const SentRequest& sent, const SweepDirectory& directory) {
    if (auto answer = sent.take_answer()) {
        return *std::move(answer);
    }
    const auto where = shell_quoted(directory.path());
    throw InvalidInput(fmt::format(
        "{}: a process that ran the sweep took the request, but its answer is lost: the disk was full, or a later "
        "session removed it; `crescendo status {}` and `crescendo trials {}` show the current state",
        directory.path().string(), where, where));
}

}  // namespace

SentRequest::SentRequest(const fs::path& folder, const Request& request) : folder_(folder), name_(new_name()) {
    const auto body = to_json(request);
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
        cannot_write(folder_, {errno, std::generic_category()});
    }
    if (!is_own_folder(folder_)) {
        cannot_write(folder_, std::make_error_code(std::errc::permission_denied));
    }
    write_whole(folder_ / (name_ + std::string(request_ending)),
                {{"version", version}, {"crc", crc_of(body)}, {"request", body}});
}

std::optional<Answer> SentRequest::take_answer() const {
    const auto path = folder_ / (name_ + std::string(answer_ending));
    std::error_code error;
    if (!fs::exists(path, error)) {
        return {};
    }
    const auto json = Json::parse(read_file(path), nullptr, false);
    fs::remove(path, error);
    CRESCENDO_VALIDATE(json.is_object(), "", "{}: the answer is damaged; `crescendo status` shows the current state",
                       path.string());
    return Answer{json.at("accepted"), json.at("text")};
}

bool SentRequest::withdraw() const {
    std::error_code error;
    return fs::remove(folder_ / (name_ + std::string(request_ending)), error);
}

std::optional<Answer> await_answer(const SentRequest& sent, const SweepDirectory& directory,
                                   std::chrono::seconds patience) {
    const auto begin = std::chrono::steady_clock::now();
    for (int turn = 1;; ++turn) {
        if (auto answer = sent.take_answer()) {
            return answer;
        }
        const bool is_late = std::chrono::steady_clock::now() - begin >= patience;
        const bool is_alone = (is_late || turn % 20 == 0) && !SweepLock::holder(directory);
        if ((is_late || is_alone) && sent.withdraw()) {
            CRESCENDO_VALIDATE(is_alone, "",
                               "{}: the process that runs the sweep did not answer within {} s, so the request was "
                               "withdrawn; `crescendo status` shows the state of the sweep",
                               directory.path().string(), patience.count());
            return {};
        }
        if (is_late) {
            return late_answer(sent, directory);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
}

/// Removes answers of an earlier session, which nobody waits for. The folder shows senders who may steer, so it must
/// exist before anybody asks; another user's folder would keep our user out.
RequestInbox::RequestInbox(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;  // if the folder cannot be created, nobody can ask
    if (fs::exists(fs::symlink_status(folder_, error)) && !is_own_folder(folder_) && !fs::remove(folder_, error)) {
        fs::rename(folder_, fmt::format("{}-of-another-user-{}", folder_.string(), new_name()), error);
    }
    ::mkdir(folder_.c_str(), 0700);
    for (const auto& path : paths_in(folder_)) {
        if (path.extension() == answer_ending) {
            fs::remove(path, error);
        }
    }
}

void RequestInbox::look() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) {
        return;
    }
    next_look_ = now + between_looks;
    std::vector<std::string> names;
    for (const auto& path : paths_in(folder_)) {
        const auto name = path.filename().string();
        if (name.ends_with(request_ending) && !undeletable_.contains(name)) {
            names.push_back(name.substr(0, name.size() - request_ending.size()));
        }
    }
    std::ranges::sort(names);
    names_.assign(names.begin(), names.end());
}

std::optional<RequestInbox::Arrived> RequestInbox::next() {
    if (names_.empty()) {
        look();
    }
    while (!names_.empty()) {
        Arrived arrived{names_.front(), {}, {}};
        names_.pop_front();
        const auto path = folder_ / (arrived.name + std::string(request_ending));
        if (std::error_code error; !fs::exists(fs::symlink_status(path, error))) {
            continue;  // withdrawn
        }
        try {
            arrived.request = read_request(path);
        } catch (const InvalidInput& error) {
            arrived.refusal = error.what();
        }
        return arrived;
    }
    return {};
}

/// Writes the answer first. If a crash keeps the request, the journal shows that it was done.
void RequestInbox::answer(const std::string& name, const Answer& answer) {
    const auto request = name + std::string(request_ending);
    try {
        write_whole(folder_ / (name + std::string(answer_ending)),
                    {{"accepted", answer.is_accepted}, {"text", answer.text}});
    } catch (const InvalidInput&) {
        // The journal decides what holds, and the sender can read it there.
    }
    std::error_code error;
    fs::remove_all(folder_ / request, error);
    if (error) {
        undeletable_.insert(request);
    }
}

}  // namespace crescendo::launch
