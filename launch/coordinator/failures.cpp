#include "launch/coordinator/failures.hpp"

#include <algorithm>
#include <cctype>

#include "core/check.hpp"

namespace crescendo::launch {
namespace {

/// Addresses, processes and seconds differ from time to time.
std::string without_digits(std::string message) {
    std::erase_if(message, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    return message;
}

}  // namespace

const char* verb_of(FailureKind kind) {
    switch (kind) {
        case FailureKind::crash:
            return "crashed";
        case FailureKind::error:
            return "gave up";
        case FailureKind::repeated_error:
            return "failed again as before, and is not tried once more";
        case FailureKind::out_of_memory:
            return "ran out of memory";
    }
    expectation_failed("a FailureKind", __FILE__, __LINE__);
}

FailureKind kind_after(const History& history, TrialId trial, FailureKind kind, const std::string& message) {
    const auto& its = history.sweep().trial(trial);
    const bool is_repeated = kind == FailureKind::error && its.failures_in_a_row > 0 && !its.is_reforming &&
                             without_digits(message) == without_digits(history.of(trial).last_failure);
    return is_repeated ? FailureKind::repeated_error : kind;
}

bool is_hopeless(const Sweep& sweep) {
    constexpr int enough = 3;
    const auto& trials = sweep.trials();
    const auto has_failed = [](const Trial& trial) { return trial.status == TrialStatus::failed; };
    const auto has_reported = [](const Trial& trial) { return trial.resource.value > 0; };
    return std::count_if(trials.begin(), trials.end(), has_failed) >= enough &&
           std::none_of(trials.begin(), trials.end(), has_reported);
}

}  // namespace crescendo::launch
