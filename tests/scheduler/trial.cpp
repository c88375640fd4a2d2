#include "scheduler/trial.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <utility>

#include "scheduler/loss.hpp"

using namespace crescendo;

namespace {

constexpr std::array all_states{TrialStatus::running, TrialStatus::waiting,  TrialStatus::paused, TrialStatus::held,
                                TrialStatus::stopped, TrialStatus::finished, TrialStatus::failed};

/// Transitions between two states, neither of which is an end.
constexpr std::array<std::pair<TrialStatus, TrialStatus>, 8> turns{{
    {TrialStatus::running, TrialStatus::waiting},
    {TrialStatus::running, TrialStatus::paused},
    {TrialStatus::running, TrialStatus::held},
    {TrialStatus::waiting, TrialStatus::running},
    {TrialStatus::waiting, TrialStatus::held},
    {TrialStatus::paused, TrialStatus::running},
    {TrialStatus::paused, TrialStatus::held},
    {TrialStatus::held, TrialStatus::waiting},
}};

bool is_end(TrialStatus status) {
    return status == TrialStatus::stopped || status == TrialStatus::finished || status == TrialStatus::failed;
}

Trial in_state(TrialStatus status) {
    Trial trial;
    trial.status = status;
    return trial;
}

/// Whether the transition aborts the program. It is tried in a child process.
bool aborts(Trial trial, TrialStatus next) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        std::signal(SIGABRT, SIG_DFL);
        trial.transition(next);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace

TEST_CASE("a trial makes only legal transitions, and none after its end") {
    for (const auto from : all_states) {
        for (const auto to : all_states) {
            CAPTURE(std::string(to_string(from)));
            CAPTURE(std::string(to_string(to)));
            const bool is_turn = std::find(turns.begin(), turns.end(), std::pair{from, to}) != turns.end();
            const bool is_legal = is_turn || (!is_end(from) && is_end(to));
            CHECK(aborts(in_state(from), to) == !is_legal);
            if (is_legal) {
                auto trial = in_state(from);
                trial.transition(to);
                CHECK(trial.status == to);
            }
        }
    }
}

TEST_CASE("running, waiting, paused and held trials have not ended, all others have") {
    for (const auto status : all_states) {
        CHECK(in_state(status).ended() == is_end(status));
    }
}

TEST_CASE("states have the names that users read") {
    CHECK(to_string(TrialStatus::running) == std::string("running"));
    CHECK(to_string(TrialStatus::waiting) == std::string("waiting"));
    CHECK(to_string(TrialStatus::paused) == std::string("paused"));
    CHECK(to_string(TrialStatus::held) == std::string("held"));
    CHECK(to_string(TrialStatus::stopped) == std::string("stopped"));
    CHECK(to_string(TrialStatus::finished) == std::string("finished"));
    CHECK(to_string(TrialStatus::failed) == std::string("failed"));
}

TEST_CASE("a trial gets another attempt until it fails too often in a row, or in the same way again") {
    Trial trial;

    CHECK(trial.count_failure(FailureKind::crash, /*max_retries=*/2));
    CHECK(trial.count_failure(FailureKind::out_of_memory, 2));
    CHECK(trial.group.batch.accumulation == 2);
    CHECK_FALSE(trial.count_failure(FailureKind::crash, 2));
    CHECK(trial.failures == 3);

    trial.failures_in_a_row = 0;
    CHECK_FALSE(trial.count_failure(FailureKind::repeated_error, 2));
}

TEST_CASE("failures of several members of a group in one step count as one") {
    Trial trial;
    trial.count_failure(FailureKind::crash, 0);
    trial.is_reforming = true;

    CHECK(trial.count_failure(FailureKind::out_of_memory, 0));
    CHECK(trial.failures == 1);

    trial.transition(TrialStatus::waiting);
    CHECK_FALSE(trial.is_reforming);
}

TEST_CASE("a trial may be the best if it has not failed and its last loss is finite") {
    auto trial = in_state(TrialStatus::stopped);
    CHECK_FALSE(trial.may_be_best());
    trial.loss = 0.5;
    CHECK(trial.may_be_best());
    trial.status = TrialStatus::failed;
    CHECK_FALSE(trial.may_be_best());

    auto diverged = in_state(TrialStatus::running);
    diverged.loss = worst_loss;
    CHECK_FALSE(diverged.may_be_best());
}

TEST_CASE("however often a trial runs out of memory, its batch is split into at most 2^20 parts") {
    Trial trial;
    for (int i = 0; i < 40; ++i) {
        trial.count_failure(FailureKind::out_of_memory, /*max_retries=*/100);
    }

    CHECK(trial.group.batch.accumulation == 1 << 20);
}
