#include "trainer/training/evaluation.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "core/check.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/protocol/failure.hpp"

namespace crescendo::trainer {

EvaluationMode::EvaluationMode(Trial& trial)
    : trial_(trial), own_weights_(trial.exchange_weights(trial.evaluation_weights())) {
    trial_.model().eval();
}

EvaluationMode::~EvaluationMode() {
    trial_.model().train();
    trial_.exchange_weights(own_weights_);
}

std::vector<double> EvaluationSums::numbers() const {
    std::vector<double> all{samples, left_out, loss, correct};
    all.insert(all.end(), metrics.begin(), metrics.end());
    return all;
}

EvaluationSums EvaluationSums::of(std::span<const double> numbers) {
    return {.samples = numbers[0],
            .left_out = numbers[1],
            .loss = numbers[2],
            .correct = numbers[3],
            .metrics = MetricSums(numbers.begin() + 4, numbers.end())};
}

SumsOnDevice::SumsOnDevice(const Trial& trial) : trial_(trial) {
    if (wants_ranking(trial.settings()) && trial.task().kind == Task::Kind::classification) {
        ranking_.emplace(trial.task().num_outputs);
    }
}

void SumsOnDevice::add(const at::Tensor& outputs, const at::Tensor& targets, const std::vector<std::int64_t>& samples) {
    const Task& task = trial_.task();
    const Settings& settings = trial_.settings();
    const LossWeights& weights = trial_.loss_weights();
    const at::Tensor loss = loss_sum(settings.loss.of_evaluation(), task, weights, outputs, targets).to(at::kDouble);
    const bool classes = task.kind == Task::Kind::classification;
    const at::Tensor correct = classes ? num_correct(outputs, targets).to(at::kDouble) : at::zeros_like(loss);
    const at::Tensor sums =
        at::cat({at::stack({loss, correct}), metric_sums(settings, task, weights, outputs, targets)});
    sums_ = sums_.defined() ? sums_.add_(sums) : sums;
    samples_ += outputs.size(0);
    if (ranking_) {
        ranking_->add(outputs, targets, samples);
    }
}

EvaluationSums SumsOnDevice::fetch(const Group& group) const {
    EvaluationSums all{.samples = static_cast<double>(samples_), .metrics = no_sums(trial_.settings(), trial_.task())};
    if (sums_.defined()) {
        const at::Tensor here = sums_.cpu();
        const auto* const values = here.const_data_ptr<double>();
        all.loss = values[0];
        all.correct = values[1];
        std::copy(values + 2, values + here.numel(), all.metrics.begin());
    }
    if (ranking_) {
        const auto sums = ranking_->sums(group);
        std::copy(sums.rbegin(), sums.rend(), all.metrics.rbegin());
    }
    return all;
}

namespace {

/// Result of one member's share of an evaluation.
struct Run {
    SumsOnDevice sums;
    std::int64_t left_out = 0;
    BatchLoader::Seconds waited{};
};

/// Runs `count` samples at once.
Run run_share(Trial& trial, datasets::SampleStream& stream, std::int64_t count, const Group& group, Pulse& pulse) {
    BatchLoader batches(stream, trial.task(), trial.device(), [&pulse] { pulse.beat(); });
    batches.enter(
        {.seed = 0, .epoch = 0, .position = 0, .group_batch = count, .part = group.rank(), .parts = group.size()});
    Run run{.sums = SumsOnDevice(trial)};
    while (const auto loaded = batches.next()) {
        pulse.beat();
        const auto& [slice, batch] = *loaded;
        run.left_out += slice.left_out(/*rank=*/0);
        if (slice.samples.empty()) {
            continue;
        }
        const at::Tensor outputs = trial.forward(batch.inputs);
        batches.fetch();
        run.sums.add(outputs, batch.targets, slice.samples);
    }
    run.waited = batches.take_waited();
    return run;
}

/// Runs as many samples at once as memory allows. Members do not communicate in it, so one can retry by itself.
Run run_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse) {
    for (;;) {
        try {
            return run_share(trial, stream, trial.evaluation_batch(), group, pulse);
        } catch (const std::exception&) {
            if (trial.evaluation_batch() == 1 || !is_out_of_memory(describe_failure())) {
                throw;
            }
        }
        trial.halve_evaluation_batch();  // for all later evaluations too, which would also fail
        trial.device().give_back_memory();
    }
}

}  // namespace

EvaluationSums evaluate_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse) {
    const at::NoGradGuard no_gradients;
    group.broadcast(trial.buffers());
    const EvaluationMode mode(trial);
    if (trial.settings().ema > 0) {
        group.broadcast(trial.buffers());  // these are their averages now
    }
    const Run run = run_share(trial, stream, group, pulse);
    EvaluationSums all = run.sums.fetch(group);
    all.left_out = static_cast<double>(run.left_out);
    all.waited = run.waited;
    return all;
}

void complain_of_no_samples(const std::string& metric) {
    throw std::runtime_error(
        text("{} has no samples: each one has a NaN or infinite number, or a missing class, and trainer.data.nan: skip "
             "leaves such samples out; `crescendo data stats` counts them",
             metric));
}

void add_means(Metrics& metrics, const std::string& prefix, const EvaluationSums& sums, const Trial& trial) {
    if (sums.samples == 0) {
        complain_of_no_samples(prefix + "_loss");
    }
    metrics[prefix + "_loss"] = sums.loss / sums.samples;
    if (trial.task().kind == Task::Kind::classification) {
        metrics[prefix + "_accuracy"] = sums.correct / sums.samples;
    }
    add_metrics(metrics, prefix, sums.metrics, trial.settings(), trial.task());
}

}  // namespace crescendo::trainer
