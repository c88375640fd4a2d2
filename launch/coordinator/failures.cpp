#include "launch/coordinator/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>

#include "core/mapped.hpp"
#include "core/spelling.hpp"
#include "core/words.hpp"
#include "launch/json/value_json.hpp"

namespace crescendo::launch {
namespace {

/// Removes digits, because addresses, process ids and times differ between equal failures.
std::string without_digits(std::string message) {
    std::erase_if(message, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    return message;
}

/// Removes random names. Folders and files of a process have names such as run-20261128-8jl4s9e7, in which letters
/// differ too. A name with digits in several places is removed; from others, such as conv1, only the digits are. Use it
/// only for display: errors that differ in such a name may have different causes.
std::string without_random_names(const std::string& message) {
    const auto is_of_name = [](unsigned char letter) {
        return std::isalnum(letter) != 0 || std::string_view("-_.").find(letter) != std::string_view::npos;
    };
    const auto is_digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
    const auto num_numbers = [&](auto begin, auto end) {
        int count = 0;
        for (bool was_digit = false; begin != end; was_digit = is_digit(*begin++)) {
            count += is_digit(*begin) && !was_digit ? 1 : 0;
        }
        return count;
    };
    std::string rest;
    for (auto begin = message.begin(); begin != message.end();) {
        const auto end = std::find_if_not(begin, message.end(), is_of_name);
        if (num_numbers(begin, end) < 2) {
            std::copy_if(begin, end, std::back_inserter(rest), std::not_fn(is_digit));
        }
        begin = std::find_if(end, message.end(), is_of_name);
        rest.append(end, begin);
    }
    return rest;
}

}  // namespace

const char* verb_of(FailureKind kind) {
    static constexpr Words verbs{
        {std::pair{FailureKind::crash, "crashed"},
         {FailureKind::error, "gave up"},
         {FailureKind::repeated_error, "failed and is not retried, since another attempt would fail in the same way"},
         {FailureKind::out_of_memory, "ran out of memory"}}};
    return verbs.of(kind);
}

std::string problem_of(const CheckpointFailed& notice) {
    return fmt::format("trial {}: {}", notice.trial.value, notice.message);
}

std::string problem_of(const LeftTrial& notice) {
    return fmt::format("trial {}: {}; what it saved before is kept", notice.trial.value, notice.problem);
}

std::string problem_of(const protocol::Metrics& reported, const std::string& metric) {
    const auto names = mapped(reported, [](const auto& each) { return each.first; });
    if (names.empty()) {
        return fmt::format(
            "it reported no number, but each report needs the sweep's metric, '{}'; a number in quotes is text",
            metric);
    }
    return fmt::format(
        "it reported the numbers {} without the sweep's metric, '{}'{}; add it to each report, or name one of these as "
        "metric.name in a new sweep",
        to_json(reported).dump(), metric, did_you_mean(metric, names));
}

TrialFailed failure_after(const History& history, TrialFailed told, const std::string& message) {
    const auto& its = history.sweep().trial(told.trial);
    const bool is_repeated = told.kind == FailureKind::error && its.failures_in_a_row > 0 && !its.is_reforming &&
                             without_digits(message) == without_digits(history.of(told.trial).last_failure) &&
                             !(told.suspect && history.sweep().is_in_doubt(*told.suspect, told.trial));
    told.kind = is_repeated ? FailureKind::repeated_error : told.kind;
    if (told.kind != FailureKind::error && told.kind != FailureKind::crash) {
        told.suspect.reset();
    }
    return told;
}

std::string ToldFailures::words_for(TrialId trial, const std::string& message) {
    constexpr std::size_t short_enough = 60;
    if (message.size() <= short_enough && message.find('\n') == std::string::npos) {
        return message;
    }
    const auto [first, is_new] = first_.emplace(without_random_names(message), trial);
    return is_new                   ? message
           : first->second == trial ? "in the same way as before"
                                    : fmt::format("in the same way as trial {} above", first->second.value);
}

void Hope::note(ProgramFault fault, const Sweep& sweep) {
    never_reports_ = never_reports_ || fault == ProgramFault::never_reports;
    if (fault == ProgramFault::usage_error && num_suspects_ == 0) {
        num_suspects_ = sweep.trials().size();
    }
}

bool Hope::is_lost(const Sweep& sweep) const {
    constexpr int enough = 3;
    const auto& trials = sweep.trials();
    const auto has_failed = [](const Trial& trial) { return trial.status == TrialStatus::failed; };
    if (std::ranges::any_of(trials, [](const Trial& trial) { return trial.resource.value > 0; })) {
        return false;
    }
    const auto suspects = std::span(trials).first(num_suspects_);
    return never_reports_ || (!suspects.empty() && std::ranges::all_of(suspects, has_failed)) ||
           sweep.count(TrialStatus::failed) >= enough;
}

}  // namespace crescendo::launch
