#include "trainer/network_check.hpp"

#include <ATen/ATen.h>

#include "core/check.hpp"
#include "trainer/checkpoint/first_weights.hpp"
#include "trainer/models/dry_run.hpp"
#include "trainer/models/model.hpp"
#include "trainer/protocol/failure.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/training/gradients.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

namespace {

/// Throws InvalidInput if the outputs do not depend on a parameter that is not frozen.
void expect_all_learn(Trial& trial) try {
    const at::Tensor inputs = dry_inputs(trial.task());  // not zeros, which are singular for some networks
    const at::Tensor keys = trial.model().drops_units() ? at::zeros({inputs.size(0)}, at::kInt) : at::Tensor();
    const at::Tensor outputs = trial.forward(inputs, keys).sum();
    if (outputs.requires_grad()) {
        outputs.backward();
    }
    expect_gradients(trial);
} catch (const InvalidInput&) {
    throw;
} catch (const std::exception&) {
    const std::string message = describe_failure().message;
    throw InvalidInput(text("{} cannot be trained: {}", trial.settings().model->name, message), "trainer.model");
}

}  // namespace

std::vector<Problem> misfits_of_network(const Settings& settings, const Task& task) try {
    const bool users = settings.model->is_users();
    if (settings.init_from.empty() && settings.lr_factors.empty() && !users) {
        return {};
    }
    const auto device = make_cpu_device();
    Trial trial(/*number=*/0, /*seed=*/0, settings, task, *device);
    take_first_weights(trial);
    if (users) {
        expect_all_learn(trial);
    }
    return {};
} catch (const InvalidInput& invalid) {
    return {{invalid.key(), invalid.what()}};
}

}  // namespace crescendo::trainer
