#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/group_batch.hpp"
#include "trainer/data/batch_loader.hpp"
#include "trainer/data/task.hpp"
#include "trainer/group/gradient_reducer.hpp"
#include "trainer/group/group.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/optimizers/parameter_groups.hpp"
#include "trainer/settings/settings.hpp"
#include "trainer/step/augmentation.hpp"
#include "trainer/step/batch_plan.hpp"
#include "trainer/step/noise_meter.hpp"
#include "trainer/step/progress.hpp"
#include "trainer/step/recorded_gradients.hpp"
#include "trainer/training/moving_averages.hpp"

namespace crescendo::trainer {

class Model;
class SyncBatchNorm;

/// The state of a trial, which every member of its group holds and which survives a regroup: weights, buffers of the
/// model, optimizer, progress.
///
/// It has no random state: what dropout drops depends only on the seed, the epoch and the samples.
class Trial {
  public:
    /// The initial weights: drawn from seed and settings alone, or arbitrary values that the caller must replace.
    enum class Weights { drawn, unfilled };

    /// Makes a new trial. `device` must outlive it.
    Trial(std::int64_t number, std::uint64_t seed, const Settings& settings, const Task& task, const Device& device,
          Weights weights = Weights::drawn);

    std::int64_t number() const { return number_; }
    std::uint64_t seed() const { return seed_; }
    const Settings& settings() const { return settings_; }
    const Task& task() const { return task_; }
    const LossWeights& loss_weights() const { return loss_weights_; }
    const Device& device() const { return device_; }
    Model& model() { return *model_; }
    ParameterGroups& optimizer() { return optimizer_; }
    const ParameterGroups& optimizer() const { return optimizer_; }

    const Progress& progress() const { return progress_; }
    Progress& progress() { return progress_; }
    /// The progress with Progress::loss_sum up to date. Waits for the device, where that sum is kept so that steps do
    /// not wait.
    Progress full_progress() const;
    /// Steps without an update, because the gradients of their scaled loss were not finite.
    struct SkippedSteps {
        std::int64_t steps = 0;
        std::int64_t without_loss = 0;  ///< of these, steps whose loss itself was not finite
    };
    /// Skipped steps of this member since the last forget_losses().
    const SkippedSteps& skipped_steps() const { return skipped_; }
    /// Resets the sum of losses and the skipped steps.
    void forget_losses();
    /// The resource that the trial, which ends at `most`, can report now. A report is due if it is more than
    /// Progress::reported().
    std::int64_t reached(std::int64_t most) const {
        return trainer::reached(progress_, settings_.report, task_.num_samples, most);
    }
    /// Whether the trial ends with the present epoch; false if that is unknown, as for a trial that ends by time.
    bool ends_with_epoch() const;
    /// See samples_in().
    std::optional<double> samples_per_resource() const {
        return samples_in(settings_.report.unit, task_.num_samples, group_batch_);
    }
    /// Sets the progress to that of another member, or to an earlier one of this trial, including its losses.
    void restore(const Progress& progress);

    /// The parameters, then the buffers, with their names in torch's state_dict, always in the same order.
    std::vector<NamedTensor> named_tensors() const;
    const std::vector<at::Tensor>& parameters() const { return parameters_; }
    /// The parameters that learn: those that are not frozen.
    const std::vector<at::Tensor>& learning_parameters() const { return optimizer_.learning(); }
    std::vector<at::Tensor> buffers() const;

    /// The moving averages of the parameters, then of the float32 and float64 buffers, with their names; empty unless
    /// the settings ask for averages.
    std::vector<NamedTensor> averages() const;
    /// Starts the averages from the network's present parameters and buffers.
    void begin_averages();

    /// The tensors that evaluations use instead of the parameters: averages(), which include buffers, or the
    /// optimizer's weights. Empty if evaluations use the network's own weights.
    std::vector<at::Tensor> evaluation_weights() const;

    /// Puts these weights, followed by buffers, into the network, and returns the previous ones. An empty list changes
    /// nothing.
    std::vector<at::Tensor> exchange_weights(const std::vector<at::Tensor>& weights);

    /// Sets the maximum resource of the trial, where the learning rate's schedule ends.
    void set_length(std::int64_t resource) { length_ = resource; }
    std::int64_t length() const { return length_; }

    /// Runs the network on samples in the trial's precision. Outputs are at least float32. With the samples' `keys` it
    /// drops units, as in training.
    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& keys = {}) const;

    /// From now on a group of `size` members trains. A step takes as many samples as `batch` says, or the whole
    /// training set if that is smaller. If this is a change and the settings say so, the optimizer forgets its state.
    void set_group(int size, GroupBatch batch);

    /// The most samples that an evaluation runs at once: four micro-batches on GPUs, because it stores nothing for a
    /// backward pass; one on CPUs, because more would not fit in the caches.
    std::int64_t evaluation_batch() const {
        return std::min(most_evaluated_, micro_batch_ * (device_.place().is_cpu() ? 1 : 4));
    }
    /// Halves the number of samples that evaluations run at once.
    void halve_evaluation_batch() { most_evaluated_ = evaluation_batch() / 2; }

    /// Number of samples in a step, over all members.
    std::int64_t group_batch() const { return group_batch_; }

    /// Whether there are recordings of steps to replay, as on a GPU after the first few steps (RecordedGradients).
    bool records_steps() const { return recorded_.recorded(); }
    /// Call it before the trial joins a group of `size` members: frees the memory of recordings if steps of that group
    /// are not recorded.
    void make_room_for_group(int size);
    /// From now on issues every operation of a step by itself, so that profilers see each one.
    void stop_recording() { recorded_.stop(); }

    /// Makes one update from the group's next samples. `loaded` is this member's share of them, which may be empty in a
    /// group of several members. `meanwhile` is called while the device computes; an exception from it ends the step.
    /// Throws PeerLost. If this throws, the trial is unchanged, except that it has rank 0's buffers. If gradients of a
    /// scaled loss overflow, no member makes the update, and buffers stay unchanged too.
    void step(
        const LoadedBatch& loaded, const Group& group, GradientReducer& reducer,
        const std::function<void()>& meanwhile = [] {});

  private:
    /// What a member computes in a step.
    struct StepPlan {
        std::vector<MicroBatch> parts;  ///< micro-batches of its slice
        double weight = 0.0;            ///< factor on each sample's loss, including the loss scale
        MeasurementPlan measured;
    };

    StepPlan plan_step(const LoadedBatch& loaded, const std::vector<std::int64_t>& slices, int size,
                       bool cut_matters) const;
    at::Tensor empty_inputs() const;
    void set_buffers(const std::vector<at::Tensor>& values);
    double epochs() const;
    bool scales_loss() const { return settings_.precision == Precision::fp16; }
    double loss_scale() const { return scales_loss() ? progress_.loss_scale.value() : 1.0; }
    bool unscale();
    at::Tensor sharpen(const StepSamples& samples, const StepPlan& plan, const Group& group, GradientReducer& reducer);
    at::Tensor add_gradients(const Batch& batch, const at::Tensor& keys, const MicroBatch& part, double weight,
                             bool measured);
    StepSamples samples_of(const LoadedBatch& loaded) const;
    bool can_record(const StepSamples& samples, const StepPlan& plan, int size, const GradientReducer& reducer) const;
    RecordedGradients::Likeness likeness_of(const StepPlan& plan) const;
    StepSums accumulate_gradients(const StepSamples& samples, const StepPlan& plan, GradientReducer& reducer);
    StepSums compute_gradients(const StepSamples& samples, const StepPlan& plan, int size, GradientReducer& reducer);
    double learning_rate() const;
    void forget_optimizer_state();
    void note_noise(const MeasurementPlan& measured, const NoiseMeter::Sums& sums, std::int64_t samples, double weight,
                    int size);

    std::int64_t number_;
    std::uint64_t seed_;
    Settings settings_;
    Task task_;
    const Device& device_;
    LossWeights loss_weights_;  ///< of task_
    std::shared_ptr<Model> model_;
    std::vector<at::Tensor> parameters_;                 ///< of the model
    std::vector<std::shared_ptr<SyncBatchNorm>> norms_;  ///< the model's; they need every member in every round
    ParameterGroups optimizer_;
    Augmentation augmentation_;
    NoiseMeter noise_meter_;
    RecordedGradients recorded_;
    LearningRateSchedule schedule_;
    std::int64_t group_batch_ = 0;  ///< 0 until the first set_group
    std::int64_t micro_batch_;      ///< maximum number of samples that run through the model at once; at least 1
    std::int64_t most_evaluated_ = std::numeric_limits<std::int64_t>::max();  ///< limit by memory
    std::int64_t length_ = 0;  ///< maximum resource; 0: unknown, and the learning rate has no schedule
    MovingAverages averages_;
    Progress progress_;
    /// On the device, as float64: progress_.loss_sum plus the losses of later steps. Undefined if there were none.
    at::Tensor loss_sum_;
    SkippedSteps skipped_;
};

}  // namespace crescendo::trainer
