#include "launch/doctor/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/files/file_descriptor.hpp"
#include "core/trial_protocol.hpp"
#include "launch/agent/worker.hpp"
#include "launch/coordinator/rendezvous.hpp"
#include "launch/system/temporary_log.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* about = "trainer";
constexpr std::chrono::seconds patience{60};

/// One trainer that tries a group.
struct Member {
    Member(const ProgramPaths& paths, const WorkerOptions& options, int rank, int size)
        : process(process_options(paths, options, rank, size, log.path())) {}

    static ProcessOptions process_options(const ProgramPaths& paths, const WorkerOptions& options, int rank, int size,
                                          const std::string& log) {
        const SlotId slot{rank};
        const auto& resources = resources_of(options, slot);
        ProcessOptions process;
        process.command = {paths.trainer, "--check-group", std::to_string(rank), std::to_string(size)};
        process.environment = device_environment(options, slot);
        process.environment.emplace_back(protocol::device_variable, resources.gpu.empty() ? "cpu" : "cuda");
        process.cpus = resources.cpus;
        process.log = log;
        return process;
    }

    TemporaryLog log;
    ConnectedProcess process;
    Json result;
};

/// Serves the members until each has its result; else the reason why one has none.
class GroupCheck {
  public:
    GroupCheck(const ProgramPaths& paths, const WorkerOptions& options) {
        const int size = static_cast<int>(options.slots.size());
        for (int rank = 0; rank < size; ++rank) {
            members_.push_back(std::make_unique<Member>(paths, options, rank, size));
        }
    }

    std::string run() {
        const auto deadline = Clock::now() + patience;
        while (!all_done()) {
            if (Clock::now() >= deadline) {
                return fmt::format("they do not meet within {} s", patience.count());
            }
            wait();
            for (std::size_t rank = 0; rank < members_.size(); ++rank) {
                const auto status = members_[rank]->process.process.try_wait();
                receive(static_cast<int>(rank));
                if (status && members_[rank]->result.is_null()) {
                    return fmt::format("{}; last words: {}", to_string(*status),
                                       last_words(members_[rank]->log.path()));
                }
            }
        }
        return {};
    }

    const Json& result() const { return members_.front()->result; }

  private:
    bool all_done() const {
        return std::ranges::none_of(members_, [](const auto& member) { return member->result.is_null(); });
    }

    void wait() const {
        std::vector<pollfd> descriptors;
        for (const auto& member : members_) {
            member->process.watch(descriptors);
        }
        ::poll(descriptors.data(), descriptors.size(), /*milliseconds=*/1000);
    }

    void receive(int rank) {
        auto& member = *members_[static_cast<std::size_t>(rank)];
        for (const auto& line : member.process.channel.receive()) {
            const auto message = parse_line(line);
            if (message.value("type", "") == protocol::type::group_checked) {
                member.result = message;
                continue;
            }
            for (const auto& answer : rendezvous_.handle({SlotId{rank}, message})) {
                members_.at(static_cast<std::size_t>(answer.slot.value))->process.channel.send(answer.answer);
            }
        }
        member.process.channel.flush();
    }

    Rendezvous rendezvous_;
    std::vector<std::unique_ptr<Member>> members_;
};

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

/// What a program prints for `--version`, or why it does not.
std::string version_of(const std::string& program) {
    const TemporaryLog log;
    ProcessOptions options;
    options.command = {program, "--version"};
    options.log = log.path();
    ChildProcess process(options);
    pollfd ended{process.exit_descriptor().get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(patience).count()));
    return last_words(log.path());
}

}  // namespace

Findings examine_programs(const ProgramPaths& paths) {
    Findings findings;
    if (!is_program(paths.guard)) {
        findings.push_back(
            {Verdict::problem, "programs",
             fmt::format("{} is not there, and programs of a sweep's `command:` run under it", paths.guard),
             "install it beside crescendo; the build makes both"});
    }
    if (!is_program(paths.trainer)) {
        findings.push_back({Verdict::warning, about,
                            fmt::format("{} is not there: sweeps with `trainer:` cannot run, those with `command:` can",
                                        paths.trainer),
                            "build it with CRESCENDO_TORCH=ON and put it beside crescendo, or name it in "
                            "CRESCENDO_TRAINER"});
    } else if (const auto version = version_of(paths.trainer); version != CRESCENDO_VERSION) {
        findings.push_back(
            {Verdict::problem, about,
             fmt::format("{} is not of version " CRESCENDO_VERSION "; it says: {}", paths.trainer, version),
             "build crescendo and crescendo-trainer together, with the libraries they were built with"});
    } else {
        findings.push_back({Verdict::ok, about, fmt::format("{} starts", paths.trainer)});
    }
    return findings;
}

Finding examine_group(const ProgramPaths& paths, const SlotPlan& plan, const std::string& interface) {
    WorkerOptions options;
    options.slots = {plan.slots.front(), plan.slots.back()};
    options.setup.interface = interface;
    try {
        GroupCheck check(paths, options);
        if (const auto failure = check.run(); !failure.empty()) {
            return {Verdict::problem, about, fmt::format("two workers form no group: {}", failure),
                    "see that the network interface is right: --interface, GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME"};
        }
        const auto& result = check.result();
        if (result.value("sum", 0.0) != 3) {  // 1 + 2
            return {Verdict::problem, about, fmt::format("two workers add 1 and 2 up to {}", result.dump()),
                    "run it again; if it persists, the network or a GPU is broken"};
        }
        return {Verdict::ok, about,
                fmt::format("two workers meet and add up by {} in {:.2g} s", result.value("backend", ""),
                            result.value("seconds", 0.0))};
    } catch (const std::exception& error) {
        return {Verdict::problem, about, fmt::format("two workers form no group: {}", error.what()),
                "start the trainer by hand, with --version, to see why"};
    }
}

}  // namespace crescendo::launch
