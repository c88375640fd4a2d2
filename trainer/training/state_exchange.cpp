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

/// Whether both made the same last report. The clock distinguishes it from the report of a trial that was restarted
/// from its checkpoint.
bool same_report(const Progress& one, const Progress& other) {
    const auto clock_at_report = [](const Progress& each) { return each.report ? each.report->seconds : 0.0; };
    return one.reported() == other.reported() && clock_at_report(one) == clock_at_report(other);
}

/// Whether a survivor made the same steps as rank 0. Then it holds the same bits, except for the model's buffers, which
/// are set to rank 0's before each step, and their averages, which are set before each evaluation. Comparing the group
/// size detects a member whose optimizer may have forgotten its state in an earlier regroup.
bool holds_state_of(const Trial& trial, const Progress& source, std::int64_t optimizer_steps) {
    const Progress& own = trial.progress();
    return own.step == source.step && own.epoch == source.epoch && own.position == source.position &&
           own.size == source.size && same_report(own, source) && trial.optimizer().num_steps() == optimizer_steps;
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

    auto progress = header["progress"].get<Progress>();
    const std::int64_t optimizer_steps = header["optimizer_steps"];
    const bool survivor = trial && trial->number() == join.trial.value;
    std::unique_ptr<Trial> received;
    if (!survivor || !holds_state_of(*trial, progress, optimizer_steps)) {
        received = std::make_unique<Trial>(join.trial.value, join.seed, settings, header["task"].get<Task>(),
                                           group.device(), Trial::Weights::unfilled);
        received->optimizer().reset(optimizer_steps);
    }
    if (received) {
        group.broadcast(state_tensors(*received), Group::Before::lost);
    } else {
        group.broadcast(state_tensors(*trial));
    }

    // Every member sums the losses of its own samples and measures their noise, independent of rank 0. If rank 0 has
    // already made the report for which the losses were summed, or has returned to an earlier one, they belong to no
    // future report. The noise of that report, measured by all members, is then in rank 0's estimate.
    const Progress own = survivor ? trial->full_progress() : Progress();
    const bool of_next_report = survivor && same_report(own, progress);
    progress.loss_sum = of_next_report ? own.loss_sum : 0.0;
    progress.loss_samples = of_next_report ? own.loss_samples : 0;
    if (of_next_report) {
        progress.noise_scale = own.noise_scale;
    }
    if (received) {
        trial = std::move(received);
    }
    trial->restore(progress);
}

}  // namespace crescendo::trainer
