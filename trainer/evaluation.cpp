#include "trainer/evaluation.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "trainer/model.hpp"
#include "trainer/objective.hpp"
#include "trainer/stopwatch.hpp"

namespace crescendo::trainer {

EvaluationSums evaluate_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse) {
    const at::NoGradGuard no_gradients;
    trial.model().eval();
    stream.enter({.seed = 0,
                  .epoch = 0,
                  .position = 0,
                  .group_batch = trial.micro_batch() * group.size(),
                  .rank = group.rank(),
                  .size = group.size()});
    const bool classes = trial.task().kind == Task::Kind::classification;
    at::Tensor loss = at::zeros({}, at::TensorOptions(trial.device().place()).dtype(at::kDouble));
    at::Tensor correct = at::zeros_like(loss);
    EvaluationSums sums;
    Stopwatch waiting;
    while (auto slice = waiting.time([&] { return stream.next(); })) {
        pulse.beat();
        if (slice->samples.empty()) continue;
        const Batch batch = make_batch(*slice, trial.task(), trial.device());
        const at::Tensor outputs = trial.model().forward(batch.inputs);
        loss += loss_sum(trial.task(), outputs, batch.targets);
        if (classes) correct += num_correct(outputs, batch.targets);
        sums.samples += static_cast<double>(slice->samples.size());
    }
    sums.waited = waiting.seconds();
    sums.loss = loss.item<double>();
    sums.correct = correct.item<double>();
    return sums;
}

void add_means(Metrics& metrics, const std::string& prefix, const EvaluationSums& sums, const Task& task) {
    metrics[prefix + "_loss"] = sums.loss / sums.samples;
    if (task.kind == Task::Kind::classification) metrics[prefix + "_accuracy"] = sums.correct / sums.samples;
}

}  // namespace crescendo::trainer
