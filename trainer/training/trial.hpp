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
/// It has no random state: what a step drops follows from the seed, the epoch and the samples.
class Trial {
  public:
    /// What a trial begins with: weights that depend on seed and settings alone, or any, which the caller replaces.
    enum class Weights { drawn, unfilled };

    /// A new trial. `device` must outlive it.
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
    /// The progress with Progress::loss_sum up to date. Waits until the device has trained: the sum stays there, so
    /// that a step waits for nothing.
    Progress full_progress() const;
    /// Steps that made no update, because gradients of their scaled loss were not finite.
    struct SkippedSteps {
        std::int64_t steps = 0;
        std::int64_t without_loss = 0;  ///< those of them whose loss itself was not finite
    };
    /// Those that this member has seen since its last sum of losses began.
    const SkippedSteps& skipped_steps() const { return skipped_; }
    /// Begins a new sum of losses.
    void forget_losses();
    /// The resource that the trial, which ends at `most`, can report now. A report is due when it is more than
    /// Progress::reported().
    std::int64_t reached(std::int64_t most) const {
        return trainer::reached(progress_, settings_.report, task_.num_samples, most);
    }
    /// Whether the trial is at its end when this epoch is; false where that is not known, as of one that ends by time.
    bool ends_with_epoch() const;
    /// As samples_in().
    std::optional<double> samples_per_resource() const {
        return samples_in(settings_.report.unit, task_.num_samples, group_batch_);
    }
    /// Takes over the progress of another member, or an earlier one of this trial, with its losses.
    void restore(const Progress& progress);

    /// Parameters and then buffers, by the names that torch's state_dict gives them, always in the same order.
    std::vector<NamedTensor> named_tensors() const;
    const std::vector<at::Tensor>& parameters() const { return parameters_; }
    /// The parameters that learn: those that are not frozen.
    const std::vector<at::Tensor>& learning_parameters() const { return optimizer_.learning(); }
    std::vector<at::Tensor> buffers() const;

    /// The moving averages of the parameters, and then of the float32 and float64 buffers, by their names; none unless
    /// the settings ask for them.
    std::vector<NamedTensor> averages() const;
    /// Has the averages begin with the network as it is now.
    void begin_averages();

    /// What evaluations take in place of the parameters: those averages, with buffers, or the optimizer's weights. None
    /// if the network's own serve.
    std::vector<at::Tensor> evaluation_weights() const;

    /// Gives the network these weights, and behind them buffers, and returns those that it had. None change nothing.
    std::vector<at::Tensor> exchange_weights(const std::vector<at::Tensor>& weights);

    /// The most that the trial gets of what its reports count; the learning rate's schedule ends there.
    void set_length(std::int64_t resource) { length_ = resource; }
    std::int64_t length() const { return length_; }

    /// Runs the network on samples, in the trial's precision. Its answers are float32, at least. With the samples'
    /// `keys` it drops units, as in training.
    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& keys = {}) const;

    /// From now on a group of `size` trains. A step takes the samples that `batch` says, or the whole training set if
    /// that is smaller. If this is a change, and the settings say so, the optimizer forgets its state.
    void set_group(int size, GroupBatch batch);

    /// The most samples that an evaluation runs at once, since it keeps nothing for a backward pass: four micro-batches
    /// on GPUs; on CPUs one, because the numbers of more fall out of the caches.
    std::int64_t evaluation_batch() const {
        return std::min(most_evaluated_, micro_batch_ * (device_.place().is_cpu() ? 1 : 4));
    }
    /// From now on, an evaluation runs half as many at once as now.
    void halve_evaluation_batch() { most_evaluated_ = evaluation_batch() / 2; }

    /// Samples of a step, over all members.
    std::int64_t group_batch() const { return group_batch_; }

    /// Whether steps are done again from recordings, as on a GPU once it has trained a few (RecordedGradients).
    bool records_steps() const { return recorded_.recorded(); }
    /// Before it is in a group of `size`: gives up the memory of recordings if steps of that group are not recorded.
    void make_room_for_group(int size);
    /// From now on every operation of a step is asked for by itself, so that those who watch them see them.
    void stop_recording() { recorded_.stop(); }

    /// Makes one update from the group's next samples. `loaded` has this member's share of them, which may be empty in
    /// a group of several. `meanwhile` is called while the device computes; what it throws ends the step. Throws
    /// PeerLost. If this throws, the trial is as it was, with rank 0's buffers. If gradients of a scaled loss overflow,
    /// no member makes the update, and buffers stay as they were too.
    void step(
        const LoadedBatch& loaded, const Group& group, GradientReducer& reducer,
        const std::function<void()>& meanwhile = [] {});

  private:
    /// What a member runs in a step.
    struct StepPlan {
        std::vector<MicroBatch> parts;  ///< of its slice
        double weight = 0.0;            ///< of each sample's loss, with the loss scale
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
    std::vector<std::shared_ptr<SyncBatchNorm>> norms_;  ///< of the model; they need every member in every round
    ParameterGroups optimizer_;
    Augmentation augmentation_;
    NoiseMeter noise_meter_;
    RecordedGradients recorded_;
    LearningRateSchedule schedule_;
    std::int64_t group_batch_ = 0;  ///< 0 until the first set_group
    std::int64_t micro_batch_;      ///< the most samples that go through the model at once, at least one
    std::int64_t most_evaluated_ = std::numeric_limits<std::int64_t>::max();  ///< what the memory suffices for
    std::int64_t length_ = 0;  ///< 0: unknown, and then the learning rate has no schedule
    MovingAverages averages_;
    Progress progress_;
    /// On the device, as float64: progress_.loss_sum and the losses of the steps since. Undefined if there were none.
    at::Tensor loss_sum_;
    SkippedSteps skipped_;
};

}  // namespace crescendo::trainer
