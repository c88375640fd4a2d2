#include "launch/coordinator/final_test.hpp"

#include <fmt/format.h>

namespace crescendo::launch {

std::optional<std::chrono::minutes> longest_test(const Supervision& supervision) {
    return supervision.hang_timeout ? std::nullopt : std::optional(std::chrono::minutes(10));
}

FinalTest::FinalTest(TrialId best, Orders& orders, LiveView& view, SessionEnd& end,
                     std::optional<std::chrono::minutes> longest)
    : best_(best), orders_(orders), view_(view), end_(end) {
    if (longest) {
        patience_.emplace(std::chrono::steady_clock::now(), *longest);
    }
    view_.say(fmt::format("measuring trial {} on the test data", best.value));
    slot_ = orders_.test(best);
    if (!slot_) {
        answer_ = TrialEvaluated{best_, {}, "no slot is left"};
    }
}

bool FinalTest::begin_turn(std::chrono::steady_clock::time_point now) {
    const bool is_late = patience_ && patience_->stopped(now);
    is_cut_short_ = !answer_ && end_.reason().has_value();
    return !answer_ && !is_cut_short_ && !is_late;
}

void FinalTest::take(const AgentLost& notice) {
    if (!answer_ && notice.node == orders_.slots().node_of(*slot_)) {
        answer_ = TrialEvaluated{best_, {}, fmt::format("node {} is lost: {}", notice.node.value, notice.reason)};
    }
}

void FinalTest::take(const SlotDown& notice) {
    if (!answer_ && notice.slot == slot_) {
        answer_ = TrialEvaluated{best_, {}, notice.message};
    }
}

std::optional<protocol::Metrics> FinalTest::conclude() {
    if (answer_ && answer_->error.empty()) {
        return answer_->metrics;
    }
    if (is_cut_short_) {
        view_.say(fmt::format("trial {} is not measured, because the session ends; the next session measures it",
                              best_.value));
        return std::nullopt;
    }
    view_.say(
        fmt::format("measuring on the test data failed: {}", answer_ ? answer_->error : "no answer from the trainer"));
    return std::nullopt;
}

}  // namespace crescendo::launch
