#include "trainer/training/state_exchange.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <nlohmann/json.hpp>

#include "core/check.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

/// All float32: parameters, then the optimizer's tensors.
std::vector<at::Tensor> state_tensors(const Trial& trial) {
    std::vector<at::Tensor> all = trial.parameters();
    for (const auto& state : trial.optimizer().state()) all.push_back(state.tensor);
    return all;
}

at::Tensor flatten(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> flat;
    for (const auto& tensor : tensors) {
        CRESCENDO_EXPECT(tensor.scalar_type() == at::kFloat);
        flat.push_back(tensor.detach().reshape(-1));
    }
    return at::cat(flat);
}

void unflatten(const at::Tensor& flat, const std::vector<at::Tensor>& tensors) {
    const at::NoGradGuard no_gradients;
    std::int64_t begin = 0;
    for (auto tensor : tensors) {
        tensor.copy_(flat.narrow(0, begin, tensor.numel()).view_as(tensor));
        begin += tensor.numel();
    }
}

}  // namespace

void share_state(const Group& group, const Join& join, const Settings& settings, std::unique_ptr<Trial>& trial) {
    if (group.size() == 1) return;
    const bool source = group.rank() == 0;
    json header;
    if (source) {
        header = {{"task", trial->task()},
                  {"progress", trial->progress()},
                  {"optimizer_steps", trial->optimizer().num_steps()}};
    }
    header = json::parse(group.broadcast(header.dump()));
    if (source) return group.broadcast(flatten(state_tensors(*trial)));

    auto received =
        std::make_unique<Trial>(join.trial.value, join.seed, settings, header["task"].get<Task>(), group.device());
    received->optimizer().reset(header["optimizer_steps"]);
    const auto tensors = state_tensors(*received);
    const at::Tensor flat = flatten(tensors);
    group.broadcast(flat);
    unflatten(flat, tensors);

    // Every member sums the losses of its own samples, whatever rank 0 has seen.
    const bool survivor = trial && trial->number() == join.trial.value;
    auto progress = header["progress"].get<Progress>();
    progress.loss_sum = survivor ? trial->progress().loss_sum : 0.0;
    progress.loss_samples = survivor ? trial->progress().loss_samples : 0;
    received->restore(progress);
    trial = std::move(received);
}

}  // namespace crescendo::trainer
