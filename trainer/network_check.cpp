#include "trainer/network_check.hpp"

#include "core/check.hpp"
#include "trainer/checkpoint/first_weights.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

std::vector<Problem> misfits_of_network(const Settings& settings, const Task& task) try {
    if (settings.init_from.empty() && settings.lr_factors.empty()) {
        return {};
    }
    const auto device = make_cpu_device();
    Trial trial(/*number=*/0, /*seed=*/0, settings, task, *device);
    take_first_weights(trial);
    return {};
} catch (const InvalidInput& invalid) {
    return {{invalid.key(), invalid.what()}};
}

}  // namespace crescendo::trainer
