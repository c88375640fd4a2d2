#include "trainer/training/evaluation.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"

namespace crescendo::trainer {

EvaluationMode::EvaluationMode(Model& model) : model_(model) { model_.eval(); }

EvaluationMode::~EvaluationMode() { model_.train(); }

EvaluationSums evaluate_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse) {
    const at::NoGradGuard no_gradients;
    const EvaluationMode mode(trial.model());
    group.broadcast(trial.buffers());
    BatchLoader batches(stream, trial.task(), trial.device());
    batches.enter({.seed = 0,
                   .epoch = 0,
                   .position = 0,
                   .group_batch = trial.micro_batch() * group.size(),
                   .rank = group.rank(),
                   .size = group.size()});
    const bool classes = trial.task().kind == Task::Kind::classification;
    EvaluationSums sums;
    while (const auto loaded = batches.next()) {
        pulse.beat();
        const auto& [slice, batch] = *loaded;
        if (slice.samples.empty()) {
            continue;
        }
        const at::Tensor outputs = trial.model().forward(batch.inputs);
        const at::Tensor loss = loss_sum(trial.task(), outputs, batch.targets);
        const at::Tensor correct = classes ? num_correct(outputs, batch.targets) : at::Tensor();
        batches.fetch();
        sums.loss += loss.item<double>();
        if (classes) {
            sums.correct += correct.item<double>();
        }
        sums.samples += static_cast<double>(slice.samples.size());
    }
    sums.waited = batches.take_waited();
    return sums;
}

void add_means(Metrics& metrics, const std::string& prefix, const EvaluationSums& sums, const Task& task) {
    metrics[prefix + "_loss"] = sums.loss / sums.samples;
    if (task.kind == Task::Kind::classification) {
        metrics[prefix + "_accuracy"] = sums.correct / sums.samples;
    }
}

}  // namespace crescendo::trainer
