#include "trainer/profile/part_times.hpp"

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

using Clock = std::chrono::steady_clock;

// Global, because torch's callbacks are plain functions.
thread_local const Device* observed = nullptr;
thread_local std::map<std::string, double> seconds_of_parts;
constexpr std::string_view prefix = "crescendo::";

struct Begin : at::ObserverContext {
    Clock::time_point time;
};

/// Ignores torch's own parts, which may end in other threads.
std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& part) {
    if (!std::string_view(part.name()).starts_with(prefix)) {
        return nullptr;
    }
    await(*observed);
    auto context = std::make_unique<Begin>();
    context->time = Clock::now();
    return context;
}

void end(const at::RecordFunction& part, at::ObserverContext* context) {
    if (context == nullptr) {
        return;
    }
    await(*observed);
    const std::chrono::duration<double> seconds = Clock::now() - static_cast<Begin*>(context)->time;
    seconds_of_parts[part.name() + prefix.size()] += seconds.count();
}

}  // namespace

PartTimes::PartTimes(const Device& device) {
    CRESCENDO_EXPECT(observed == nullptr);
    observed = &device;
    seconds_of_parts.clear();
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end).scopes({at::RecordScope::USER_SCOPE}));
}

PartTimes::~PartTimes() {
    at::removeCallback(handle_);
    observed = nullptr;
}

std::map<std::string, double> PartTimes::take() { return std::exchange(seconds_of_parts, {}); }

}  // namespace crescendo::trainer
