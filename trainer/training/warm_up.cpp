#include "trainer/training/warm_up.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

void warm_up(const Device& device, const Catalogue& catalogue) {
    const Settings settings = read_settings({{"width", 2}, {"data", {{"train", "none"}}}}, catalogue);
    Task task;
    task.input_shape = {8, 8};
    task.num_outputs = 2;
    task.num_samples = 4;
    Trial trial(/*number=*/0, /*seed=*/0, settings, task, device);
    trial.set_group(/*size=*/1, {});
    const Group group(device);
    GradientReducer reducer(group, trial.learning_parameters());
    LoadedBatch batch;
    batch.slice.member_samples = {task.num_samples};
    batch.slice.samples = {0, 1, 2, 3};
    batch.batch = {device.upload(at::zeros({4, 8, 8})), device.upload(at::zeros({4}, at::kLong))};
    trial.step(batch, group, reducer);
}

}  // namespace crescendo::trainer
