#include "launch/coordinator/final_test.hpp"

#include <fmt/format.h>

namespace crescendo::launch {
namespace {

constexpr std::chrono::minutes patience{10};

}  // namespace

FinalTest::FinalTest(TrialId best, Orders& orders, LiveView& view)
    : view_(view), deadline_(std::chrono::steady_clock::now() + patience) {
    view_.say(fmt::format("measuring trial {} on the test data", best.value));
    orders.test(best);
}

bool FinalTest::begin_turn() const { return !answer_ && std::chrono::steady_clock::now() < deadline_; }

std::optional<std::map<std::string, double>> FinalTest::conclude() {
    if (answer_ && answer_->error.empty()) {
        return answer_->metrics;
    }
    view_.say(fmt::format("the test data could not be read: {}",
                          answer_ ? answer_->error : "no answer from the trainer"));
    return std::nullopt;
}

}  // namespace crescendo::launch
