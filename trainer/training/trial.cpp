#include "trainer/training/trial.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/check.hpp"
#include "core/random.hpp"
#include "trainer/models/dropout.hpp"
#include "trainer/models/initialization.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/models/sync_batch_norm.hpp"
#include "trainer/models/unfilled_weights.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/training/clipping.hpp"
#include "trainer/training/gradients.hpp"
#include "trainer/training/precision.hpp"
#include "trainer/training/sharpness.hpp"

namespace crescendo::trainer {

namespace {

constexpr std::uint64_t initial_weights = ~std::uint64_t{0};  ///< a stream of a trial's seed

std::shared_ptr<Model> make_seeded_model(std::uint64_t seed, const Settings& settings, const Task& task,
                                         const Device& device, Trial::Weights weights) {
    std::optional<UnfilledWeights> unfilled;
    if (weights == Trial::Weights::unfilled && settings.model->draws_only_weights()) {
        unfilled.emplace();
    }
    set_process_switches(settings.precision, settings.deterministic, device.place().type());
    at::manual_seed(CounterRandom(seed, initial_weights).next());
    auto model = settings.model->make(task);
    initialize(*model, settings.init);
    model->to(device.place());
    return model;
}

std::vector<NamedTensor> parameters_of(const Model& model) {
    std::vector<NamedTensor> all;
    for (const auto& parameter : model.named_parameters()) {
        all.push_back({parameter.key(), parameter.value()});
    }
    return all;
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> all;
    for (const auto& tensor : tensors) {
        all.push_back(tensor.detach().clone());
    }
    return all;
}

/// A loss that every parameter takes part in with a gradient of exactly zero.
at::Tensor nothing_learned(const std::vector<at::Tensor>& parameters) {
    at::Tensor sum;
    for (const auto& parameter : parameters) {
        const at::Tensor zero = (parameter * 0).sum();
        sum = sum.defined() ? sum + zero : zero;
    }
    return sum;
}

}  // namespace

Trial::Trial(std::int64_t number, std::uint64_t seed, const Settings& settings, const Task& task, const Device& device,
             Weights weights)
    : number_(number),
      seed_(seed),
      settings_(settings),
      task_(task),
      device_(device),
      model_(make_seeded_model(seed, settings, task, device, weights)),
      norms_(synchronized_norms(*model_)),
      optimizer_(*settings.optimizer, parameters_of(*model_), settings.lr_factors),
      augmentation_(settings.augmentation),
      noise_meter_(learning_parameters()),
      schedule_(settings.lr_scaling, settings.warmup, settings.rescale_warmup),
      micro_batch_(settings.batch_size),
      evaluation_batches_(device.place().is_cpu() ? 1 : 4) {
    if (settings.ema > 0) {
        averages_ = copies(parameters());
    }
}

void Trial::restore(const Progress& progress) {
    progress_ = progress;
    loss_sum_.reset();
    // Earlier versions counted on more samples in a step than there are.
    auto& rate = progress_.rate;
    rate.first_batch = std::min(rate.first_batch, task_.num_samples);
    rate.batch = std::min(rate.batch, task_.num_samples);
    schedule_.restore(rate);
    group_batch_ = rate.batch;
}

std::vector<NamedTensor> Trial::named_tensors() const {
    std::vector<NamedTensor> all = parameters_of(*model_);
    for (const auto& buffer : model_->named_buffers()) {
        all.push_back({buffer.key(), buffer.value()});
    }
    return all;
}

std::vector<at::Tensor> Trial::parameters() const { return model_->parameters(); }

std::vector<at::Tensor> Trial::buffers() const { return model_->buffers(); }

std::vector<NamedTensor> Trial::averages() const {
    std::vector<NamedTensor> all;
    if (!averages_.empty()) {
        all = parameters_of(*model_);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].tensor = averages_[i];
        }
    }
    return all;
}

std::vector<at::Tensor> Trial::evaluation_weights() const {
    return averages_.empty() ? optimizer_.evaluation_weights() : averages_;
}

std::vector<at::Tensor> Trial::exchange_weights(const std::vector<at::Tensor>& weights) {
    auto tensors = parameters();
    std::vector<at::Tensor> before;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        before.push_back(tensors[i].variable_data());
        tensors[i].set_data(weights[i]);
    }
    return before;
}

/// In the first steps the average is short: that of the initial weights would last for long.
void Trial::update_averages() {
    if (averages_.empty()) {
        return;
    }
    const at::NoGradGuard no_gradients;
    const auto steps = static_cast<double>(progress_.step);
    const double decay = std::min(settings_.ema, (1.0 + steps) / (10.0 + steps));
    auto tensors = optimizer_.evaluation_weights();
    if (tensors.empty()) {
        tensors = parameters();
    }
    for (std::size_t i = 0; i < averages_.size(); ++i) {
        averages_[i].lerp_(tensors[i].detach(), 1.0 - decay);
    }
}

double Trial::learning_rate() const {
    const double used = trainer::used(progress_, settings_.report.unit, task_.num_samples);
    return settings_.lr * schedule_.factor(epochs()) * rate_factor(settings_.rate, used, static_cast<double>(length_));
}

void Trial::set_buffers(const std::vector<at::Tensor>& values) {
    const auto tensors = buffers();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        tensors[i].detach().copy_(values[i]);
    }
}

Progress Trial::full_progress() const {
    Progress progress = progress_;
    if (loss_sum_.defined()) {
        progress.loss_sum = loss_sum_.item<double>();
    }
    return progress;
}

void Trial::forget_losses() {
    loss_sum_.reset();
    progress_.loss_sum = 0.0;
    progress_.loss_samples = 0;
}

at::Tensor Trial::forward(const at::Tensor& inputs, const at::Tensor& keys) const {
    const Autocast autocast(settings_.precision, device_.place().type());
    const at::Tensor outputs = model_->forward(inputs, keys);
    return at::isReducedFloatingType(outputs.scalar_type()) ? outputs.to(at::kFloat) : outputs;
}

/// Makes the group's gradients those of the loss itself. Returns false if the scaled ones overflowed.
bool Trial::unscale() { return !scales_loss() || unscale_gradients(learning_parameters(), loss_scale()); }

double Trial::epochs() const { return used(progress_, ResourceUnit::epochs, task_.num_samples); }

void Trial::set_group(int size, GroupBatch batch) {
    const std::int64_t samples = std::min(settings_.batch_size * batch.multiple, task_.num_samples);
    const bool changed = progress_.size != 0 && (size != progress_.size || samples != group_batch_);
    if (changed && settings_.optimizer_state == StateAtRegroup::reset) {
        optimizer_.reset();
    }
    group_batch_ = samples;
    micro_batch_ = std::max<std::int64_t>(1, settings_.batch_size / batch.accumulation);
    schedule_.follow(group_batch_, epochs());
    progress_.size = size;
    progress_.rate = schedule_.state();
}

/// Adds the gradient of some samples' losses. Returns the sum of these losses, on the device.
at::Tensor Trial::add_gradients(const Batch& batch, const at::Tensor& keys, const MicroBatch& part, double weight,
                                bool measured) {
    const auto of_part = [&](const at::Tensor& all) { return all.narrow(0, part.begin, part.count); };
    const bool has_samples = part.count > 0;
    at::Tensor loss;
    {
        RECORD_USER_SCOPE("crescendo::forward");
        const at::Tensor outputs = forward(of_part(batch.inputs), keys.defined() ? of_part(keys) : keys);
        loss = has_samples ? loss_sum(settings_.loss, task_, outputs, of_part(batch.targets)) : outputs.sum();
    }
    if (measured) {
        noise_meter_.begin_part();
    }
    {
        RECORD_USER_SCOPE("crescendo::backward");
        (loss * weight).backward();
    }
    if (measured) {
        noise_meter_.end_part(part.count);
    }
    return loss.detach();
}

/// Of no samples: what a member without any runs, where the others need it for their sums.
at::Tensor Trial::empty_inputs() const {
    std::vector<std::int64_t> shape{0};
    shape.insert(shape.end(), task_.input_shape.begin(), task_.input_shape.end());
    return at::empty(shape, at::TensorOptions(device_.place()).dtype(at::kFloat));
}

/// Members whose norms add up sums run the model equally often, also with no samples. What a model with buffers
/// computes may depend on which samples it sees together, as statistics of batches do: its step is not cut to be
/// measured.
Trial::StepPlan Trial::plan_step(const LoadedBatch& loaded, const std::vector<std::int64_t>& slices, int size,
                                 bool has_buffers) const {
    const std::int64_t micro_batch =
        has_buffers ? micro_batch_ : measurable_micro_batch(progress_.step, slices, micro_batch_);
    StepPlan plan{
        .parts = micro_batches(static_cast<std::int64_t>(loaded.slice.samples.size()), num_rounds(slices, micro_batch)),
        .weight = loss_weight(group_batch_, size) * loss_scale(),
        .measured = plan_measurement(progress_.step, slices, micro_batch)};
    if (size == 1 || norms_.empty()) {
        std::erase_if(plan.parts, [](const MicroBatch& part) { return part.count == 0; });
    }
    return plan;
}

/// Returns the sum of the losses of this member's samples, on the device.
at::Tensor Trial::accumulate_gradients(const LoadedBatch& loaded, const StepPlan& plan, GradientReducer& reducer) {
    const auto& [slice, loaded_batch] = loaded;
    const auto& [parts, weight, measured] = plan;
    at::Tensor sum = at::zeros({}, at::TensorOptions(device_.place()).dtype(at::kDouble));
    const auto keys_in = [&](bool host_memory) {
        const at::Tensor keys = dropout_keys(seed_, progress_.epoch, slice.samples);
        return host_memory ? keys : device_.upload(keys);
    };
    const at::Tensor keys = model_->drops_units() ? keys_in(model_->reads_keys_on_host()) : at::Tensor();
    Batch batch = loaded_batch;
    if (slice.samples.empty()) {
        batch.inputs = empty_inputs();
    } else if (augmentation_.changes()) {
        batch = augmentation_(loaded_batch, keys_in(/*host_memory=*/false), task_.kind);
    }
    const bool extra = measured.parts && measured.parts->extra;
    if (extra) {
        const auto buffers_before = copies(buffers());
        add_gradients(batch, keys, {.begin = 0, .count = measured.parts->samples}, weight, /*measured=*/true);
        set_buffers(buffers_before);
        forget_gradients();
    }
    if (parts.empty()) {
        reducer.average_next_backward();
        nothing_learned(learning_parameters()).backward();
    }
    for (const auto& part : parts) {
        if (&part == &parts.back()) {
            reducer.average_next_backward();
        }
        const bool counted = measured.parts && !extra && part.count > 0;
        sum += add_gradients(batch, keys, part, weight, /*measured=*/counted);
    }
    return sum;
}

void Trial::forget_gradients() {
    // Not Optimizer::zero_grad: it refuses gradients that are views of the reducer's buckets.
    for (auto& parameter : parameters()) {
        parameter.mutable_grad().reset();
    }
}

/// Replaces the gradients by those of the place that climb() leads to. The weights, and the buffers, stay what they
/// are, also if this throws.
void Trial::sharpen(const LoadedBatch& loaded, const StepPlan& plan, const Group& group, GradientReducer& reducer) {
    const StepPlan unmeasured{.parts = plan.parts, .weight = plan.weight, .measured = {}};
    const auto weights = copies(learning_parameters());
    const auto buffers_before = copies(buffers());
    const auto return_home = [&] {
        const at::NoGradGuard no_gradients;
        const auto& tensors = learning_parameters();
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            tensors[i].variable_data().copy_(weights[i]);
        }
        set_buffers(buffers_before);
    };
    climb(learning_parameters(), settings_.sam);
    forget_gradients();
    try {
        collective([&] { return accumulate_gradients(loaded, unmeasured, reducer); });
        group.finish();
    } catch (...) {
        return_home();
        throw;
    }
    return_home();
}

/// `weight` is that of the losses of the group's `samples` samples.
void Trial::note_noise(const MeasurementPlan& measured, const NoiseMeter::Sums& sums, std::int64_t samples,
                       double weight, int size) {
    const auto of_mean = static_cast<double>(group_batch_) / static_cast<double>(samples);  // an epoch ends short
    GradientNorms norms{.whole = sums.whole * of_mean * of_mean, .samples = static_cast<double>(samples)};
    if (measured.parts) {
        const auto covered = static_cast<double>(measured.parts->samples);
        norms.parts = {.mean = size * sums.parts / (weight * weight * covered),
                       .samples = covered / static_cast<double>(measured.parts->count)};
    }
    progress_.noise_scale.add(norms);
}

void Trial::step(const LoadedBatch& loaded, const Group& group, GradientReducer& reducer,
                 const std::function<void()>& meanwhile) {
    forget_gradients();
    noise_meter_.reset();
    auto slices = loaded.slice.member_samples;
    if (group.size() == 1) {  // alone, a member knows which samples were skipped because their numbers are not finite
        slices = {static_cast<std::int64_t>(loaded.slice.samples.size())};
    }
    group.broadcast(buffers());
    const auto buffers_before = copies(buffers());
    const StepPlan plan = plan_step(loaded, slices, group.size(), /*has_buffers=*/!buffers_before.empty());
    SumOverGroup sum;
    if (group.size() > 1) {
        sum = [&](at::Tensor& numbers) { group.sum(numbers); };
    }
    const NormsInGroup joined(norms_, sum);
    at::Tensor loss;
    bool usable = false;
    std::optional<NoiseMeter::Sums> noise;
    try {
        loss = collective([&] { return accumulate_gradients(loaded, plan, reducer); });
        expect_gradients(*this);
        meanwhile();
        group.finish();
        usable = unscale();
        if (usable && plan.measured.whole) {
            noise = noise_meter_.take();
        }
        if (usable && settings_.sam > 0) {
            sharpen(loaded, plan, group, reducer);
            usable = unscale();
        }
    } catch (...) {
        set_buffers(buffers_before);
        throw;
    }

    if (noise) {
        const auto samples = std::accumulate(slices.begin(), slices.end(), std::int64_t{0});
        note_noise(plan.measured, *noise, samples, plan.weight, group.size());
    }
    {
        RECORD_USER_SCOPE("crescendo::optimizer");
        const double rate = learning_rate();
        ++progress_.step;
        if (usable) {
            clip_gradients(learning_parameters(), settings_.clip_norm, settings_.clip_value);
            optimizer_.step(rate);
            update_averages();
        }
        if (scales_loss()) {
            progress_.loss_scale.update(usable);
        }
    }
    progress_.position += loaded.slice.group_samples();
    if (!loss_sum_.defined()) {
        loss_sum_ = at::full({}, progress_.loss_sum, loss.options());
    }
    loss_sum_ += loss;
    progress_.loss_samples += static_cast<std::int64_t>(loaded.slice.samples.size());
}

}  // namespace crescendo::trainer
