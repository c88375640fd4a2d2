#include "trainer/training/trial.hpp"

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/random.hpp"
#include "trainer/models/initialization.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/sync_batch_norm.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/unfilled_weights.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/step/clipping.hpp"
#include "trainer/step/precision.hpp"
#include "trainer/step/sharpness.hpp"
#include "trainer/training/gradients.hpp"

namespace crescendo::trainer {

namespace {

constexpr std::uint64_t initial_weights = ~std::uint64_t{0};  ///< random stream of a trial's seed

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
    model->train();  // a user's model may have been saved in evaluation mode
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

/// Copies `values` into the first of `tensors`; the rest stay unchanged.
void overwrite_all(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        tensors[i].variable_data().copy_(values[i]);
    }
}

/// A loss that gives every parameter a gradient of exactly zero.
at::Tensor nothing_learned(const std::vector<at::Tensor>& parameters) {
    at::Tensor sum;
    for (const auto& parameter : parameters) {
        const at::Tensor zero = (parameter * 0).sum();
        sum = sum.defined() ? sum + zero : zero;
    }
    return sum;
}

/// Waits for the device, which has the number.
bool is_finite(const at::Tensor& number) { return std::isfinite(number.item<double>()); }

}  // namespace

Trial::Trial(std::int64_t number, std::uint64_t seed, const Settings& settings, const Task& task, const Device& device,
             Weights weights)
    : number_(number),
      seed_(seed),
      settings_(settings),
      task_(task),
      device_(device),
      loss_weights_(trainer::loss_weights(task, device.place())),
      model_(make_seeded_model(seed, settings, task, device, weights)),
      parameters_(model_->parameters()),
      norms_(synchronized_norms(*model_)),
      optimizer_(*settings.optimizer, parameters_of(*model_), settings.lr_factors),
      augmentation_(settings.augmentation),
      noise_meter_(learning_parameters()),
      schedule_(settings.lr_scaling, settings.warmup, settings.rescale_warmup),
      micro_batch_(settings.batch_size) {
    begin_averages();
}

void Trial::restore(const Progress& progress) {
    progress_ = progress;
    loss_sum_.reset();
    // Checkpoints of earlier versions may have more samples per step than the training set.
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

std::vector<at::Tensor> Trial::buffers() const { return model_->buffers(); }

void Trial::begin_averages() {
    if (settings_.ema > 0) {
        averages_.begin(named_tensors());
    }
}

std::vector<NamedTensor> Trial::averages() const { return averages_.named(); }

std::vector<at::Tensor> Trial::evaluation_weights() const {
    return averages_.empty() ? optimizer_.evaluation_weights() : averages_.tensors();
}

std::vector<at::Tensor> Trial::exchange_weights(const std::vector<at::Tensor>& weights) {
    const auto own = with_average(named_tensors());
    std::vector<at::Tensor> before;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        before.push_back(own[i].tensor.variable_data());
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {  // in a second loop, because a buffer may be listed twice
        own[i].tensor.set_data(weights[i]);
    }
    return before;
}

double Trial::learning_rate() const {
    const double used = trainer::used(progress_, settings_.report.unit, task_.num_samples);
    return settings_.lr * schedule_.factor(epochs()) * rate_factor(settings_.rate, used, static_cast<double>(length_));
}

void Trial::set_buffers(const std::vector<at::Tensor>& values) { overwrite_all(buffers(), values); }

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
    skipped_ = {};
}

at::Tensor Trial::forward(const at::Tensor& inputs, const at::Tensor& keys) const {
    const Autocast autocast(settings_.precision, device_.place().type());
    const at::Tensor outputs = model_->forward(inputs, keys);
    return at::isReducedFloatingType(outputs.scalar_type()) ? outputs.to(at::kFloat) : outputs;
}

/// Removes the loss scale from the group's gradients. Returns false if the scaled gradients overflowed.
bool Trial::unscale() { return !scales_loss() || unscale_gradients(learning_parameters(), loss_scale()); }

double Trial::epochs() const { return used(progress_, ResourceUnit::epochs, task_.num_samples); }

bool Trial::ends_with_epoch() const {
    const auto per_unit = samples_per_resource();
    if (length_ == 0 || !per_unit) {
        return false;
    }
    const double left = static_cast<double>(length_) - used(progress_, settings_.report.unit, task_.num_samples);
    return left * *per_unit < static_cast<double>(task_.num_samples - progress_.position) + *per_unit - 0.5;
}

/// What was learned may be in the optimizer's state, so the trial continues from the weights that were evaluated for
/// its reports.
void Trial::forget_optimizer_state() {
    overwrite_all(parameters_, optimizer_.evaluation_weights());
    optimizer_.reset();
}

void Trial::set_group(int size, GroupBatch batch) {
    const std::int64_t samples = std::min(settings_.batch_size * batch.multiple, task_.num_samples);
    const bool changed = progress_.size != 0 && (size != progress_.size || samples != group_batch_);
    if (changed && settings_.optimizer_state == StateAtRegroup::reset) {
        forget_optimizer_state();
    }
    group_batch_ = samples;
    micro_batch_ = std::max<std::int64_t>(1, settings_.batch_size / batch.accumulation);
    schedule_.follow(group_batch_, epochs());
    progress_.size = size;
    progress_.rate = schedule_.state();
}

/// Adds the gradients of the losses of a micro-batch. Returns the sum of its losses, on the device.
at::Tensor Trial::add_gradients(const Batch& batch, const at::Tensor& keys, const MicroBatch& part, double weight,
                                bool measured) {
    const auto of_part = [&](const at::Tensor& all) { return all.narrow(0, part.begin, part.count); };
    const bool has_samples = part.count > 0;
    at::Tensor loss;
    {
        RECORD_USER_SCOPE("crescendo::forward");
        const at::Tensor outputs = forward(of_part(batch.inputs), keys.defined() ? of_part(keys) : keys);
        loss = has_samples ? loss_sum(settings_.loss, task_, loss_weights_, outputs, of_part(batch.targets))
                           : outputs.sum();
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

/// Inputs of an empty batch, which a member without samples runs if the other members need it for their sums.
at::Tensor Trial::empty_inputs() const {
    std::vector<std::int64_t> shape{0};
    shape.insert(shape.end(), task_.input_shape.begin(), task_.input_shape.end());
    return at::empty(shape, at::TensorOptions(device_.place()).dtype(at::kFloat));
}

/// If norms sum over the group, all members run the model equally often, also without samples. If `cut_matters`,
/// results of the model and the loss may depend on which samples run together, as batch statistics do, so the step is
/// not cut for a measurement.
Trial::StepPlan Trial::plan_step(const LoadedBatch& loaded, const std::vector<std::int64_t>& slices, int size,
                                 bool cut_matters) const {
    const bool measured = is_measured(progress_.step, slices, micro_batch_);
    const std::int64_t micro_batch =
        measured && !cut_matters ? measurable_micro_batch(slices, micro_batch_) : micro_batch_;
    StepPlan plan{
        .parts = micro_batches(static_cast<std::int64_t>(loaded.slice.samples.size()), num_rounds(slices, micro_batch)),
        .weight = loss_weight(group_batch_, size) * loss_scale(),
        .measured = measured ? plan_measurement(slices, micro_batch) : MeasurementPlan{}};
    if (size == 1 || norms_.empty()) {
        std::erase_if(plan.parts, [](const MicroBatch& part) { return part.count == 0; });
    }
    return plan;
}

StepSamples Trial::samples_of(const LoadedBatch& loaded) const {
    StepSamples samples{.batch = loaded.batch, .keys = {}, .keys_in_host_memory = {}};
    if (loaded.slice.samples.empty()) {
        samples.batch.inputs = empty_inputs();
    }
    const bool drops = model_->drops_units();
    if (drops || augmentation_.changes()) {
        const at::Tensor keys = dropout_keys(seed_, progress_.epoch, loaded.slice.samples);
        const bool on_host = drops && model_->reads_keys_on_host();
        if (on_host) {
            samples.keys_in_host_memory = keys;
        }
        if (!on_host || augmentation_.changes()) {
            samples.keys = device_.upload(keys);
        }
    }
    return samples;
}

/// A user's network may do things that a recording does not repeat, such as draw a random number in host memory. A
/// recording cannot contain an exchange with other members.
bool Trial::can_record(const StepSamples& samples, const StepPlan& plan, int size,
                       const GradientReducer& reducer) const {
    const bool users = settings_.model->is_users() || settings_.loss.of_plugin != nullptr;
    const bool wanted = users ? settings_.cuda_graphs == CudaGraphs::on : settings_.cuda_graphs != CudaGraphs::off;
    return wanted && device_.records() && !plan.parts.empty() && !samples.keys_in_host_memory.defined() &&
           (size == 1 || (reducer.in_one_piece() && norms_.empty()));
}

void Trial::make_room_for_group(int size) {
    if (size > 1 && !(GradientReducer::goes_in_one_piece(device_, learning_parameters()) && norms_.empty())) {
        recorded_.forget();
    }
}

RecordedGradients::Likeness Trial::likeness_of(const StepPlan& plan) const {
    RecordedGradients::Likeness likeness{.weight = plan.weight};
    for (const auto& part : plan.parts) {
        likeness.plan.insert(likeness.plan.end(), {part.begin, part.count});
    }
    const auto measured = plan.measured.parts.value_or(MeasuredParts{});
    likeness.plan.insert(likeness.plan.end(), {measured.count, measured.samples, measured.extra ? 1 : 0});
    for (const auto& tensors : {parameters_, buffers()}) {
        for (const auto& tensor : tensors) {
            likeness.memory.push_back(tensor.const_data_ptr());
        }
    }
    return likeness;
}

/// Sets the parameters' gradients to the mean over the group's samples. Returns the sums of this member's samples. If
/// this throws, the buffers are unchanged.
StepSums Trial::compute_gradients(const StepSamples& samples, const StepPlan& plan, int size,
                                  GradientReducer& reducer) {
    const auto compute = [this, plan, &reducer](const StepSamples& given) {
        return accumulate_gradients(given, plan, reducer);
    };
    if (settings_.cuda_graphs == CudaGraphs::on && device_.records() && samples.keys_in_host_memory.defined()) {
        recorded_.give_up("the model might draw random numbers, which are seeded in the host's memory");
    }
    const StepSums sums = can_record(samples, plan, size, reducer)
                              ? recorded_(device_, samples, likeness_of(plan), learning_parameters(), compute)
                              : compute(samples);
    try {
        reducer.finish();
    } catch (...) {
        set_buffers(sums.buffers_before);
        throw;
    }
    return sums;
}

StepSums Trial::accumulate_gradients(const StepSamples& samples, const StepPlan& plan, GradientReducer& reducer) {
    const auto& [parts, weight, measured] = plan;
    StepSums sums{.loss = at::zeros({}, at::TensorOptions(device_.place()).dtype(at::kDouble)),
                  .noise = {},
                  .buffers_before = copies(buffers())};
    const at::Tensor keys = !model_->drops_units()                  ? at::Tensor()
                            : samples.keys_in_host_memory.defined() ? samples.keys_in_host_memory
                                                                    : samples.keys;
    try {
        const bool changes = augmentation_.changes() && samples.batch.inputs.size(0) > 0;
        const Batch batch = changes ? augmentation_(samples.batch, samples.keys, task_.kind) : samples.batch;
        const bool extra = measured.parts && measured.parts->extra;
        if (extra) {
            add_gradients(batch, keys, {.begin = 0, .count = measured.parts->samples}, weight, /*measured=*/true);
            set_buffers(sums.buffers_before);
            forget_gradients(parameters_);
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
            sums.loss += add_gradients(batch, keys, part, weight, /*measured=*/counted);
        }
        sums.noise = noise_meter_.take_parts();
    } catch (...) {
        noise_meter_.reset();  // measurements of a failed recording were never computed
        set_buffers(sums.buffers_before);
        throw;
    }
    return sums;
}

/// Replaces the gradients by those at the point that climb() reaches. Leaves weights and buffers unchanged, even if
/// this throws. Returns the sum of this member's losses at that point.
at::Tensor Trial::sharpen(const StepSamples& samples, const StepPlan& plan, const Group& group,
                          GradientReducer& reducer) {
    const StepPlan unmeasured{.parts = plan.parts, .weight = plan.weight, .measured = {}};
    const auto weights = copies(learning_parameters());
    const auto buffers_before = copies(buffers());
    const auto return_home = [&] {
        overwrite_all(learning_parameters(), weights);
        set_buffers(buffers_before);
    };
    at::Tensor loss;
    try {
        climb(learning_parameters(), settings_.sam);
        forget_gradients(parameters_);
        loss = collective([&] {
            const StepSums sums = accumulate_gradients(samples, unmeasured, reducer);
            reducer.finish();
            return sums.loss;
        });
        group.finish();
    } catch (...) {
        return_home();
        throw;
    }
    return_home();
    return loss;
}

/// `weight` is the factor on the losses of the group's `samples` samples.
void Trial::note_noise(const MeasurementPlan& measured, const NoiseMeter::Sums& sums, std::int64_t samples,
                       double weight, int size) {
    const auto of_mean = static_cast<double>(group_batch_) / static_cast<double>(samples);  // a short last step
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
    forget_gradients(parameters_);
    noise_meter_.reset();
    auto slices = loaded.slice.member_samples;
    if (group.size() == 1) {  // a lone member knows which samples were skipped for non-finite numbers
        slices = {static_cast<std::int64_t>(loaded.slice.samples.size())};
    }
    if (group.size() > 1) {
        group.broadcast(buffers());
    }
    // A user's network may couple samples without having buffers, such as a batch norm without running statistics. So
    // may a user's loss, such as a contrastive one.
    const bool cut_matters = !buffers().empty() || settings_.model->is_users() || settings_.loss.of_plugin != nullptr;
    const StepPlan plan = plan_step(loaded, slices, group.size(), cut_matters);
    SumOverGroup sum;
    if (group.size() > 1) {
        sum = [&](at::Tensor& numbers) { group.sum(numbers); };
    }
    const NormsInGroup joined(norms_, sum);
    const StepSamples samples = samples_of(loaded);
    const auto [loss, noise_of_parts, buffers_before] =
        collective([&] { return compute_gradients(samples, plan, group.size(), reducer); });
    bool usable = false;
    bool is_counted = true;     // this member's loss
    bool losses_finite = true;  // whether all members' losses are finite, if gradients are not
    std::optional<NoiseMeter::Sums> noise;
    try {
        expect_gradients(*this);
        meanwhile();
        group.finish();
        usable = unscale();
        at::Tensor last_loss = loss;
        if (usable && plan.measured.whole) {
            noise = noise_meter_.take(noise_of_parts);
        }
        if (usable && settings_.sam > 0) {
            last_loss = sharpen(samples, plan, group, reducer);
            usable = unscale();
        }
        if (!usable) {
            set_buffers(buffers_before);
            is_counted = is_finite(loss);
            losses_finite = group.sum({is_finite(last_loss) ? 0.0 : 1.0}).front() == 0.0;
        }
    } catch (...) {
        set_buffers(buffers_before);
        throw;
    }

    if (noise) {
        const auto count = std::accumulate(slices.begin(), slices.end(), std::int64_t{0});
        note_noise(plan.measured, *noise, count, plan.weight, group.size());
    }
    {
        RECORD_USER_SCOPE("crescendo::optimizer");
        const double rate = learning_rate();
        ++progress_.step;
        if (usable) {
            clip_gradients(learning_parameters(), settings_.clip_norm, settings_.clip_value);
            optimizer_.step(rate);
            if (!averages_.empty()) {
                averages_.update(settings_.ema, progress_.step, optimizer_.evaluation_weights());
            }
        } else {
            ++skipped_.steps;
            skipped_.without_loss += losses_finite ? 0 : 1;
        }
        if (scales_loss() && losses_finite) {  // otherwise no scale makes the gradients finite
            progress_.loss_scale.update(usable);
        }
    }
    progress_.position += loaded.slice.group_samples();
    if (!loss_sum_.defined()) {
        loss_sum_ = at::full({}, progress_.loss_sum, loss.options());
    }
    if (is_counted) {
        loss_sum_ += loss;
        progress_.loss_samples += static_cast<std::int64_t>(loaded.slice.samples.size());
    }
}

}  // namespace crescendo::trainer
