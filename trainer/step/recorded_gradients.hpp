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

/// Input of a step's gradients.
struct StepSamples {
    Batch batch;                     ///< on the device
    at::Tensor keys;                 ///< dropout_keys() on the device; undefined if nothing needs them
    at::Tensor keys_in_host_memory;  ///< for models with Model::reads_keys_on_host()
};

/// Other results of computing a step's gradients.
struct StepSums {
    at::Tensor loss;                         ///< sum over the samples, on the device
    at::Tensor noise;                        ///< NoiseMeter::take_parts()
    std::vector<at::Tensor> buffers_before;  ///< the model's buffers before the step, in their order
};

/// Makes the gradients of the parameters undefined.
void forget_gradients(const std::vector<at::Tensor>& parameters);

/// Computes the gradients of steps that are alike. After a few of them it records the computation on the device, and
/// from then on replays the recording. A replay is one call, but running the network is hundreds: a GPU finishes most
/// of those before the processor has issued the next. The results are equal bit for bit.
///
/// Other steps are computed without recordings, such as those with a new batch shape, or of a kind that the device
/// cannot record. If a recording fails, all steps are.
class RecordedGradients {
  public:
    /// What two steps must have in common, besides the shapes of their samples, to use the same recording.
    struct Likeness {
        double weight = 0.0;                   ///< factor on a sample's loss
        std::vector<std::int64_t> plan = {};   ///< how the samples are cut into micro-batches, and what is measured
        std::vector<const void*> memory = {};  ///< addresses of the model's parameters and buffers

        friend bool operator==(const Likeness&, const Likeness&) = default;
    };

    /// Computes the gradients of the parameters, which have none yet. Must depend only on the samples' numbers and on
    /// the content of Likeness.
    using Compute = std::function<StepSums(const StepSamples& samples)>;

    /// Number of kinds of steps whose recordings are kept. For example, measured steps and the short step at the end of
    /// an epoch are kinds of their own.
    static constexpr std::size_t most_kept = 4;

    /// Sets the gradients of `parameters` to those that `compute` computes. The caller may change them until the next
    /// call. Throws what `compute` throws.
    StepSums operator()(const Device& device, const StepSamples& samples, Likeness likeness,
                        const std::vector<at::Tensor>& parameters, const Compute& compute);

    /// Whether there is a recording.
    bool recorded() const;

    /// Drops all recordings. New ones may be made.
    void forget();

    /// Drops all recordings, and makes no more.
    void stop();

    /// Like stop(), but logs the reason, unless the last log line had the same one.
    void give_up(const std::string& reason);

  private:
    /// Steps that can use the same recording.
    struct Kind {
        std::vector<std::vector<std::int64_t>> shapes = {};
        Likeness likeness = {};
        int steps = 0;             ///< number computed without a recording
        bool refused = false;      ///< whether the device cannot record it
        StepSamples samples = {};  ///< input memory of the recording; `sums` and `gradients` are its output memory
        StepSums sums = {};
        std::vector<at::Tensor> gradients = {};
        std::unique_ptr<Recording> recording = nullptr;  ///< last member: destroyed before the memory that it uses
    };

    Kind& kind_of(const StepSamples& samples, Likeness likeness);
    bool record(Kind& kind, const Device& device, const StepSamples& samples, const std::vector<at::Tensor>& parameters,
                const Compute& compute);
    void tell(const std::string& reason);

    bool stopped_ = false;
    std::string told_;       ///< the last logged reason
    std::list<Kind> kinds_;  ///< most recently used first
};

}  // namespace crescendo::trainer
