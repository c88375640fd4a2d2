#include "trainer/training/state_exchange.hpp"

#include <nlohmann/json.hpp>

namespace crescendo::trainer {

using nlohmann::json;

namespace {

std::vector<at::Tensor> state_tensors(const Trial& trial) {
    std::vector<at::Tensor> all;
    for (const auto& [name, tensor] : trial.named_tensors()) {
        all.push_back(tensor);
    }
    for (const auto& [name, tensor] : trial.averages()) {
        all.push_back(tensor);
    }
    for (const auto& state : trial.optimizer().state()) {
        all.push_back(state.tensor);
    }
    return all;
}

}  // namespace

void share_state(const Group& group, const Join& join, const Settings& settings, std::unique_ptr<Trial>& trial) {
    if (group.size() == 1) {
        return;
    }
    const bool source = group.rank() == 0;
    json header;
    if (source) {
        header = {{"task", trial->task()},
                  {"progress", trial->full_progress()},
                  {"optimizer_steps", trial->optimizer().num_steps()}};
    }
    header = json::parse(group.broadcast(header.dump()));
    if (source) {
        return group.broadcast(state_tensors(*trial));
    }

    auto received =
        std::make_unique<Trial>(join.trial.value, join.seed, settings, header["task"].get<Task>(), group.device());
    received->optimizer().reset(header["optimizer_steps"]);
    group.broadcast(state_tensors(*received));

    // Every member sums the losses of its own samples, and measures their noise, whatever rank 0 has seen.
    const bool survivor = trial && trial->number() == join.trial.value;
    auto progress = header["progress"].get<Progress>();
    const Progress own = survivor ? trial->full_progress() : Progress();
    progress.loss_sum = own.loss_sum;
    progress.loss_samples = own.loss_samples;
    if (survivor) {
        progress.noise_scale = own.noise_scale;
    }
    received->restore(progress);
    trial = std::move(received);
}

}  // namespace crescendo::trainer
