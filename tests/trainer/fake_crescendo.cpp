#include "tests/trainer/fake_crescendo.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/trial_protocol.hpp"
#include "tests/await.hpp"
#include "tests/num_reads.hpp"
#include "tests/trainer/test_device.hpp"

namespace crescendo::trainer::test {

namespace type = protocol::type;

namespace {

constexpr int patience_ms = 60'000;

[[noreturn]] void become(const std::string& program, int fd, const Environment& environment) {
    ::fcntl(fd, F_SETFD, 0);
    ::setenv(protocol::fd_variable, std::to_string(fd).c_str(), 1);
    ::setenv(protocol::device_variable, device_name().c_str(), 1);
    ::setenv(protocol::threads_variable, "1", 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(127);
}

std::vector<std::string> keys_of(const Json& request) {
    if (request.contains("keys")) return request["keys"];
    return {request["key"]};
}

}  // namespace

std::string path_of(const std::string& program) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / program).string();
}

FakeCrescendo::FakeCrescendo(int num_trainers, const std::string& program, const Environment& environment) {
    for (int i = 0; i < num_trainers; ++i) start(path_of(program), environment);
    for (int i = 0; i < num_trainers; ++i) await(i, type::hello);
}

FakeCrescendo::~FakeCrescendo() {
    for (std::size_t i = 0; i < trainers_.size(); ++i) {
        const auto trial = trainers_[i].trial;
        if (trainers_[i].serves_others && trial) {
            send(static_cast<int>(i), {{"type", type::leave}, {"trial", *trial}, {"save", false}});
        }
    }
    for (std::size_t i = 0; i < trainers_.size(); ++i) {
        auto& trainer = trainers_[i];
        if (has_left(static_cast<int>(i))) {
            trainer.messages = {{{"type", type::hello}}};
            idle().push_back(std::move(trainer));
        } else {
            end(trainer);
        }
    }
}

/// Idle trainers end when the test program ends.
std::vector<FakeCrescendo::Trainer>& FakeCrescendo::idle() {
    struct Idle {
        std::vector<Trainer> trainers;
        ~Idle() { std::ranges::for_each(trainers, end); }
    };
    static Idle all;
    return all.trainers;
}

void FakeCrescendo::end(Trainer& trainer) {
    if (trainer.fd >= 0) ::close(trainer.fd);
    if (trainer.ended) return;
    ::kill(trainer.pid, SIGKILL);
    ::waitpid(trainer.pid, nullptr, 0);
}

/// Whether the trainer may serve another test and leaves its trial, if it has one, within a few seconds.
bool FakeCrescendo::has_left(int number) {
    const auto& trainer = trainers_[static_cast<std::size_t>(number)];
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (trainer.serves_others && trainer.trial && std::chrono::steady_clock::now() < deadline) {
        pollfd descriptor{trainer.fd, POLLIN, 0};
        if (::poll(&descriptor, 1, /*timeout=*/1000) > 0 && !read_from(number)) return false;
    }
    return trainer.serves_others && !trainer.trial;
}

void FakeCrescendo::start(const std::string& program, const Environment& environment) {
    const auto found = std::ranges::find(idle(), program, &Trainer::program);
    if (environment.empty() && found != idle().end()) {
        trainers_.push_back(std::move(*found));
        idle().erase(found);
        return;
    }
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) become(program, ends[1], environment);
    ::close(ends[1]);
    Trainer trainer;
    trainer.pid = pid;
    trainer.fd = ends[0];
    trainer.program = program;
    trainer.serves_others = environment.empty() && !on_gpu();  // idle trainers would hold GPU memory
    trainers_.push_back(std::move(trainer));
}

void FakeCrescendo::join(const std::vector<int>& members, const std::string& state, const Terms& terms) {
    ++generation_;
    Json settings = terms.settings;
    if (on_gpu() && !settings.contains("deterministic")) settings["deterministic"] = "on";  // tests compare bits
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
        send(members[rank], {{"type", type::join},
                             {"trial", terms.trial},
                             {"generation", generation_},
                             {"rank", rank},
                             {"size", members.size()},
                             {"batch_multiple", terms.batch_multiple},
                             {"accumulation", terms.accumulation},
                             {"checkpoint_at", terms.checkpoint_at ? Json(*terms.checkpoint_at) : Json()},
                             {"reported", terms.reported ? Json(*terms.reported) : Json()},
                             {"max_resource", terms.max_resource},
                             {"seed", terms.seed},
                             {"sweep_seed", terms.sweep_seed},
                             {"settings", settings},
                             {"directory", terms.directory.string()},
                             {"state", state}});
    }
}

void FakeCrescendo::go_on(const std::vector<int>& members, const Terms& terms) {
    for (const int member : members) {
        send(member, {{"type", type::decision},
                      {"trial", terms.trial},
                      {"decision", "continue"},
                      {"batch_multiple", terms.batch_multiple},
                      {"checkpoint_at", terms.checkpoint_at ? Json(*terms.checkpoint_at) : Json()}});
    }
}

bool FakeCrescendo::leave(const std::vector<int>& members, bool save, std::int64_t trial) {
    for (const int member : members) send(member, {{"type", type::leave}, {"trial", trial}, {"save", save}});
    bool saved = false;
    for (const int member : members) saved |= await(member, type::left)["saved"].get<bool>();
    return saved;
}

Json FakeCrescendo::train(const std::vector<int>& members, const std::string& state, const Terms& terms,
                          std::int64_t resource) {
    join(members, state, terms);
    for (;;) {
        Json report = await(members.front(), type::report);
        if (report["resource"] >= resource) return report;
        go_on(members, terms);
    }
}

void FakeCrescendo::send(int trainer, const Json& message) {
    const std::string kind = message["type"];
    if (kind == type::join) trainers_[trainer].trial = message["trial"];
    if (kind != type::join && kind != type::decision && kind != type::leave && kind != type::store) {
        trainers_[trainer].serves_others = false;
    }
    const std::string line = message.dump() + "\n";
    ::send(trainers_[trainer].fd, line.data(), line.size(), MSG_NOSIGNAL);
}

Json FakeCrescendo::await_one_of(int trainer, const std::vector<std::string>& wanted) {
    for (;;) {
        auto& messages = trainers_[trainer].messages;
        const auto found = std::find_if(messages.begin(), messages.end(), [&](const Json& message) {
            return std::find(wanted.begin(), wanted.end(), message["type"].get<std::string>()) != wanted.end();
        });
        if (found != messages.end()) {
            Json message = std::move(*found);
            messages.erase(found);
            return message;
        }
        if (!messages.empty() && messages.back()["type"] == type::failed) {
            FAIL("trainer " << trainer << " failed: " << messages.back()["message"].get<std::string>());
        }
        read_some("'" + wanted.front() + "' of trainer " + std::to_string(trainer));
    }
}

void FakeCrescendo::await_file(const std::filesystem::path& file) {
    tests::await(file.string(), [&] {
        read_within(/*milliseconds=*/0, file.string());
        return std::filesystem::exists(file);
    });
}

void FakeCrescendo::await_open(int trainer, const std::filesystem::path& file) {
    namespace fs = std::filesystem;
    const fs::path descriptors = "/proc/" + std::to_string(trainers_.at(static_cast<std::size_t>(trainer)).pid) + "/fd";
    tests::await(file.string() + " to be open", [&] {
        read_within(/*milliseconds=*/0, file.string());
        return std::ranges::any_of(fs::directory_iterator(descriptors), [&](const fs::directory_entry& each) {
            std::error_code closed;
            return fs::read_symlink(each.path(), closed) == file;
        });
    });
}

void FakeCrescendo::read_some(const std::string& waiting_for) {
    if (!read_within(patience_ms, waiting_for)) FAIL("waited in vain: " << waiting_for);
}

bool FakeCrescendo::read_within(int milliseconds, const std::string& waiting_for) {
    std::vector<pollfd> descriptors;
    for (const auto& trainer : trainers_) descriptors.push_back({trainer.fd, POLLIN, 0});
    if (::poll(descriptors.data(), descriptors.size(), milliseconds) == 0) return false;
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        if (descriptors[i].revents == 0) continue;
        if (!read_from(static_cast<int>(i))) FAIL("trainer " << i << " ended while we waited for " << waiting_for);
    }
    return true;
}

/// Reads from the trainer; false if it has ended.
bool FakeCrescendo::read_from(int trainer) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(trainers_[trainer].fd, buffer.data(), buffer.size());
    if (got <= 0) return false;
    trainers_[trainer].unread.append(buffer.data(), static_cast<std::size_t>(got));
    take_lines(trainer);
    return true;
}

void FakeCrescendo::take_lines(int trainer) {
    std::string& unread = trainers_[trainer].unread;
    for (std::size_t end; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1)) {
        Json message = Json::parse(unread.substr(0, end));
        if (message["type"] == type::store) {
            serve(trainer, message);
        } else {
            if (message["type"] == type::left) trainers_[trainer].trial.reset();
            if (message["type"] == type::failed) trainers_[trainer].serves_others = false;
            trainers_[trainer].messages.push_back(std::move(message));
        }
    }
}

/// Supports only the operations that Gloo's rendezvous needs.
void FakeCrescendo::serve(int trainer, const Json& request) {
    Space& space = store_[{request["trial"], request["generation"]}];
    if (request["op"] == "set") {
        space[request["key"]] = request["value"];
        send(trainer, {{"type", type::store}, {"id", request["id"]}});
    } else if (request["op"] == "get" || request["op"] == "wait") {
        waiting_.push_back({trainer, request});
    } else {
        FAIL("no such operation here: " << request.dump());
    }
    answer_waiting();
}

void FakeCrescendo::answer_waiting() {
    std::erase_if(waiting_, [this](const Request& request) {
        const Space& space = store_[{request.content["trial"], request.content["generation"]}];
        const auto keys = keys_of(request.content);
        if (!std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return space.contains(key); })) return false;
        Json answer = {{"type", type::store}, {"id", request.content["id"]}};
        if (request.content["op"] == "get") answer["value"] = space.at(request.content["key"]);
        send(request.trainer, answer);
        return true;
    });
}

std::int64_t FakeCrescendo::num_reads(int trainer) const {
    return tests::num_reads(std::to_string(trainers_.at(static_cast<std::size_t>(trainer)).pid));
}

void FakeCrescendo::kill(int trainer) {
    signal(trainer, SIGKILL);
    wait_for_end(trainer);
}

void FakeCrescendo::signal(int trainer, int number) {
    trainers_[trainer].serves_others = false;
    ::kill(trainers_[trainer].pid, number);
}

void FakeCrescendo::stop(int trainer) { signal(trainer, SIGSTOP); }

void FakeCrescendo::hang_up(int trainer) {
    trainers_[trainer].serves_others = false;
    ::close(trainers_[trainer].fd);
    trainers_[trainer].fd = -1;
}

int FakeCrescendo::wait_for_end(int trainer) {
    trainers_[trainer].serves_others = false;
    int status = 0;
    ::waitpid(trainers_[trainer].pid, &status, 0);
    trainers_[trainer].ended = true;
    if (trainers_[trainer].fd >= 0) hang_up(trainer);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace crescendo::trainer::test
