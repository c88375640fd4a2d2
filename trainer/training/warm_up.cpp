#include "trainer/training/warm_up.hpp"

#include <ATen/ATen.h>

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

void warm_up(const Device& device) {
    Settings settings;
    settings.width = 2;
    Task task;
    task.input_shape = {8, 8};
    task.num_outputs = 2;
    task.num_samples = 4;
    Trial trial(/*number=*/0, /*seed=*/0, settings, task, device);
    trial.set_group(/*size=*/1, /*batch_multiple=*/1);
    const Group group(device);
    GradientReducer reducer(group, trial.parameters());
    const Batch batch{device.upload(at::zeros({4, 8, 8})), device.upload(at::zeros({4}, at::kLong))};
    trial.step(batch, /*group_samples=*/4, group, reducer);
}

}  // namespace crescendo::trainer
