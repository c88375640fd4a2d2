#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

namespace crescendo::trainer {

/// One in this many steps is measured.
constexpr std::int64_t measured_every = 16;
/// The same for a lone worker whose step is a single micro-batch: then a measurement costs more, most of a small
/// model's step.
constexpr std::int64_t single_measured_every = 80;

/// Squared norms of the mean gradients of a step, all at the same weights.
struct GradientNorms {
    /// Mean gradients of disjoint parts of the step's samples, or of one such part.
    struct Parts {
        double mean = 0.0;     ///< mean of their squared norms, weighted by the samples of each part
        double samples = 0.0;  ///< samples per part: the harmonic mean
    };

    double whole = 0.0;    ///< squared norm of the mean gradient over all samples
    double samples = 0.0;  ///< samples in the step
    std::optional<Parts> parts = {};
};

/// Which parts of a step's samples are measured.
struct MeasuredParts {
    std::int64_t count = 0;    ///< number of parts of all members
    std::int64_t samples = 0;  ///< samples in all parts
    /// Whether the part is not a micro-batch of the step, so that its samples run through the model once more.
    bool extra = false;

    friend bool operator==(const MeasuredParts&, const MeasuredParts&) = default;
};

/// What is measured in a step.
struct MeasurementPlan {
    bool whole = false;
    std::optional<MeasuredParts> parts = {};

    friend bool operator==(const MeasurementPlan&, const MeasurementPlan&) = default;
};

/// Whether step number `step` is measured. `slices` are the numbers of samples of the group's members, which train on
/// them in micro-batches of at most `micro_batch` samples.
bool is_measured(std::int64_t step, std::span<const std::int64_t> slices, std::int64_t micro_batch);

/// Largest micro-batch, in samples, of a measured step: `micro_batch`, unless a lone worker's step is a single
/// micro-batch. Then it is cut in two, because the noise can only be measured from parts.
std::int64_t measurable_micro_batch(std::span<const std::int64_t> slices, std::int64_t micro_batch);

/// Plans the measurement of a step. If a lone worker's single micro-batch was not cut, an eighth of its samples runs
/// through the model once more, which measures the noise from fewer samples.
///
/// Differences between the gradients of consecutive steps would need no additional pass. But the weights change between
/// two steps, and that change would count as noise (benchmarks/noise_scale).
MeasurementPlan plan_measurement(std::span<const std::int64_t> slices, std::int64_t micro_batch);

/// Estimates a trial's gradient noise scale: the batch size, in samples, at which the noise of a step's gradient is as
/// large as the gradient. Up to about that size, a larger batch saves proportionally many steps (McCandlish et al., "An
/// Empirical Model of Large-Batch Training", 2018).
///
/// The mean gradient of n samples has the expected squared norm |G|² + S/n, where G is the gradient of the loss and S
/// is the trace of the samples' covariance. The norms of a step and of its parts give S, and with S the norm of the
/// step gives |G|² (appendix A.1). Estimates from single steps are useless. So S and |G|² are each averaged over about
/// the last hundred measurements, and the noise scale is the ratio of the averages. The batch may change meanwhile,
/// because neither |G|² nor S depends on it.
///
/// Every member of a group has its own estimate: members measure the same step, but different parts. All averages are
/// linear in the measurements, so the group's noise() is the mean of the members' values.
class NoiseScale {
  public:
    /// Adds the measurement of a step. Ignores norms that are not finite.
    void add(const GradientNorms& norms);

    /// The noise scale, in samples. None after fewer than eight measurements of parts, or if the noise hides the
    /// gradient: then the noise scale is far above the batch size.
    std::optional<double> value() const;

    /// The average of S; 0 before the first measurement.
    double noise() const;
    /// The average of |G|². The estimate is unbiased, so it may be negative.
    double gradient() const;

    /// Replaces noise() by the mean over the group.
    void set_noise(double noise);

    friend void to_json(nlohmann::json& json, const NoiseScale& scale);
    friend void from_json(const nlohmann::json& json, NoiseScale& scale);

  private:
    /// An exponential moving average without bias towards its initial value.
    struct Average {
        double sum = 0.0;  ///< weighted sum; the weights of `count` numbers add up to weight()
        std::int64_t count = 0;

        void add(double number);
        double weight() const;
        double value() const;
    };

    Average noise_;
    Average norm_;             ///< squared norms of whole steps
    Average inverse_samples_;  ///< 1 / n over the same steps
};

}  // namespace crescendo::trainer
