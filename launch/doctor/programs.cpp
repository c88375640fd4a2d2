#include "launch/doctor/examinations.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/trial_protocol.hpp"
#include "launch/process/shell.hpp"
#include "launch/trainers/idle_trainers.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* about_trainer = "trainer";
constexpr std::chrono::seconds trainer_patience{60};

}  // namespace

Findings examine_programs(const ProgramPaths& paths) {
    Findings findings;
    if (!is_executable(paths.guard)) {
        findings.push_back(
            {Verdict::problem, "programs",
             fmt::format("{} is missing, and programs of a sweep's `command:` run under it", paths.guard),
             "install it next to crescendo; the build makes both"});
    }
    if (!is_executable(paths.trainer)) {
        findings.push_back(
            {Verdict::warning, about_trainer,
             fmt::format("{} is missing: sweeps with `trainer:` cannot run; sweeps with `command:` can", paths.trainer),
             "build all of Crescendo (`make build`), put it next to crescendo, or name it in CRESCENDO_TRAINER"});
    } else if (const auto answer = run_tool({paths.trainer, "--version"}, {.patience = trainer_patience});
               answer.output != CRESCENDO_VERSION) {
        findings.push_back(
            {Verdict::problem, about_trainer,
             fmt::format("{} {}; its output: {}", paths.trainer,
                         answer.success() ? "is not version " CRESCENDO_VERSION : "does not start", answer.words()),
             "build crescendo and crescendo-trainer together, with libraries that you may read"});
    } else {
        findings.push_back({Verdict::ok, about_trainer, fmt::format("{} starts", paths.trainer)});
    }
    return findings;
}

Finding examine_group(const ProgramPaths& paths, const SlotPlan& plan, const std::string& interface) {
    IdleTrainers::Options options;
    options.program = paths.trainer;
    options.slots = {plan.slots.front(), plan.slots.back()};
    options.interface = interface;
    options.patience = trainer_patience;
    options.arguments = [](int rank) {
        return std::vector{std::string("--check-group"), std::to_string(rank), std::string("2")};
    };
    try {
        const auto result = IdleTrainers(options).await(protocol::type::group_checked).front();
        if (result.value("sum", 0.0) != 3) {  // 1 + 2
            return {Verdict::problem, about_trainer, fmt::format("two workers add 1 and 2 and get {}", result.dump()),
                    "run it again; if the problem persists, the network or a GPU is broken"};
        }
        return {Verdict::ok, about_trainer,
                fmt::format("two workers connect and add numbers over {} in {:.2g} s", result.value("backend", ""),
                            result.value("seconds", 0.0))};
    } catch (const std::exception& error) {
        return {Verdict::problem, about_trainer, fmt::format("two workers cannot form a group: {}", error.what()),
                "if this is about an address or interface, choose another one: --interface, GLOO_SOCKET_IFNAME, "
                "NCCL_SOCKET_IFNAME"};
    }
}

}  // namespace crescendo::launch
