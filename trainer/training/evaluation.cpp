#include "trainer/training/evaluation.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"

namespace crescendo::trainer {

EvaluationMode::EvaluationMode(Trial& trial)
    : trial_(trial), own_weights_(trial.exchange_weights(trial.evaluation_weights())) {
    trial_.model().eval();
}

EvaluationMode::~EvaluationMode() {
    trial_.model().train();
    trial_.exchange_weights(own_weights_);
}

void add_batch(EvaluationSums& sums, const Trial& trial, const at::Tensor& outputs, const at::Tensor& targets) {
    const Task& task = trial.task();
    const Settings& settings = trial.settings();
    sums.loss += loss_sum(settings.loss.unsmoothed(), task, outputs, targets).item<double>();
    if (task.kind == Task::Kind::classification) {
        sums.correct += num_correct(outputs, targets).item<double>();
    }
    sums.samples += static_cast<double>(outputs.size(0));
    if (sums.metrics.empty()) {
        sums.metrics = no_sums(settings, task);
    }
    add_sums(sums.metrics, settings, task, outputs, targets);
}

EvaluationSums evaluate_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse) {
    const at::NoGradGuard no_gradients;
    const EvaluationMode mode(trial);
    group.broadcast(trial.buffers());
    BatchLoader batches(stream, trial.task(), trial.device());
    batches.enter({.seed = 0,
                   .epoch = 0,
                   .position = 0,
                   .group_batch = trial.micro_batch(),
                   .part = group.rank(),
                   .parts = group.size()});
    EvaluationSums sums{.metrics = no_sums(trial.settings(), trial.task())};
    while (const auto loaded = batches.next()) {
        pulse.beat();
        const auto& [slice, batch] = *loaded;
        if (slice.samples.empty()) {
            continue;
        }
        const at::Tensor outputs = trial.model().forward(batch.inputs);
        batches.fetch();
        add_batch(sums, trial, outputs, batch.targets);
    }
    sums.waited = batches.take_waited();
    return sums;
}

void add_means(Metrics& metrics, const std::string& prefix, const EvaluationSums& sums, const Trial& trial) {
    metrics[prefix + "_loss"] = sums.loss / sums.samples;
    if (trial.task().kind == Task::Kind::classification) {
        metrics[prefix + "_accuracy"] = sums.correct / sums.samples;
    }
    add_metrics(metrics, prefix, sums.metrics, trial.settings(), trial.task());
}

}  // namespace crescendo::trainer
