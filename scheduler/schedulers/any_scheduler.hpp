#pragma once

#include <variant>

#include "scheduler/schedulers/asha.hpp"
#include "scheduler/schedulers/hyperband.hpp"
#include "scheduler/schedulers/median.hpp"
#include "scheduler/schedulers/pasha.hpp"
#include "scheduler/schedulers/promoting_asha.hpp"
#include "scheduler/schedulers/repeated_asha.hpp"

namespace crescendo {

/// Any of the schedulers, as a value. From then on, a copy makes the same decisions as the original.
class AnyScheduler {
  public:
    /// The scheduler that `spec` asks for. `spec` is valid.
    explicit AnyScheduler(const SweepSpec& spec);

    Scheduler* operator->() {
        return std::visit([](Scheduler& each) { return &each; }, scheduler_);
    }
    const Scheduler* operator->() const {
        return std::visit([](const Scheduler& each) { return &each; }, scheduler_);
    }

  private:
    using Kinds = std::variant<Asha, PromotingAsha, Hyperband, Median, Pasha, RepeatedAsha>;
    static Kinds make(const SweepSpec& spec);

    Kinds scheduler_;
};

}  // namespace crescendo
