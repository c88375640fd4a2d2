#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "trainer/data/batch.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// What a step's gradients are computed from.
struct StepSamples {
    Batch batch;                     ///< on the device
    at::Tensor keys;                 ///< dropout_keys() on the device; undefined where nothing needs them
    at::Tensor keys_in_host_memory;  ///< for a model that wants them there (Model::reads_keys_on_host())
};

/// What computing gradients gives beside them.
struct StepSums {
    at::Tensor loss;                         ///< sum over the samples, on the device
    at::Tensor noise;                        ///< NoiseMeter::take_parts()
    std::vector<at::Tensor> buffers_before;  ///< the model's buffers as they were, in their order
};

/// Leaves the parameters without gradients.
void forget_gradients(const std::vector<at::Tensor>& parameters);

/// Computes the gradients of steps that are alike. After a few of them it has the device record what it computes, and
/// from then on has the recording done again. That is one call, where the network is hundreds: a GPU is done with most
/// of them before the processor has asked for the next. The results have the same bits.
///
/// Other steps are computed as they are, such as those of a batch that was not there before, or of a kind that the
/// device makes no recording of. So are all where a recording fails.
class RecordedGradients {
  public:
    /// What two steps must have in common for one recording to serve both, beside the shapes of their samples.
    struct Likeness {
        double weight = 0.0;                   ///< of a sample's loss
        std::vector<std::int64_t> plan = {};   ///< how the samples are cut into micro-batches, and what is measured
        std::vector<const void*> memory = {};  ///< where the model's parameters and buffers lie

        friend bool operator==(const Likeness&, const Likeness&) = default;
    };

    /// Adds to the gradients of the parameters, which have none yet. What it does must follow from the samples' numbers
    /// and from what the Likeness names.
    using Compute = std::function<StepSums(const StepSamples& samples)>;

    /// Recordings of so many kinds of steps are kept, such as those that are measured, and the short one at the end of
    /// an epoch.
    static constexpr std::size_t most_kept = 4;

    /// Gives `parameters` the gradients that `compute` computes. They may change, up to the next call. Throws what
    /// `compute` throws.
    StepSums operator()(const Device& device, const StepSamples& samples, Likeness likeness,
                        const std::vector<at::Tensor>& parameters, const Compute& compute);

    /// Whether there is a recording.
    bool recorded() const;

    /// Forgets all recordings, and may make others.
    void forget();

    /// Forgets all recordings and makes no others.
    void stop();

    /// As stop(), with a line of the log that says why, unless the last one did.
    void give_up(const std::string& reason);

  private:
    /// Steps of a kind.
    struct Kind {
        std::vector<std::vector<std::int64_t>> shapes = {};
        Likeness likeness = {};
        int steps = 0;             ///< so many were computed as they are
        bool refused = false;      ///< whether the device makes no recording of it
        StepSamples samples = {};  ///< what the recording reads, and below what it writes: the same memory each time
        StepSums sums = {};
        std::vector<at::Tensor> gradients = {};
        std::unique_ptr<Recording> recording = nullptr;  ///< the last member: it ends before its memory is given back
    };

    Kind& kind_of(const StepSamples& samples, Likeness likeness);
    bool record(Kind& kind, const Device& device, const StepSamples& samples, const std::vector<at::Tensor>& parameters,
                const Compute& compute);
    void tell(const std::string& reason);

    bool stopped_ = false;
    std::string told_;       ///< the last line of the log
    std::list<Kind> kinds_;  ///< that of the last step first
};

}  // namespace crescendo::trainer
