#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

namespace crescendo::trainer {

/// Of so many steps one is measured.
constexpr std::int64_t measured_every = 16;
/// The same where it costs more, most of a small model's step: where a lone worker's step is a single micro-batch.
constexpr std::int64_t single_measured_every = 80;

/// Squared norms of the mean gradients of a step, all at the same weights.
struct GradientNorms {
    /// Mean gradients of disjoint parts of the step's samples, or of one such part.
    struct Parts {
        double mean = 0.0;     ///< mean of their squared norms, each weighted with the samples of its part
        double samples = 0.0;  ///< samples of a part: the harmonic mean
    };

    double whole = 0.0;    ///< squared norm of the mean gradient of all samples
    double samples = 0.0;  ///< samples of the step
    std::optional<Parts> parts = {};
};

/// Which parts of a step's samples are measured.
struct MeasuredParts {
    std::int64_t count = 0;    ///< parts of all members
    std::int64_t samples = 0;  ///< samples of all parts
    /// Whether the part is no micro-batch of the step, so that its samples go through the model once more.
    bool extra = false;

    friend bool operator==(const MeasuredParts&, const MeasuredParts&) = default;
};

/// What is measured in a step.
struct MeasurementPlan {
    bool whole = false;
    std::optional<MeasuredParts> parts = {};

    friend bool operator==(const MeasurementPlan&, const MeasurementPlan&) = default;
};

/// Whether the `step`-th step is measured. In it the members of a group train on these numbers of samples, in
/// micro-batches of at most `micro_batch`.
bool is_measured(std::int64_t step, std::span<const std::int64_t> slices, std::int64_t micro_batch);

/// The most samples of a micro-batch in a step that is measured: `micro_batch`, unless a lone worker's step is a single
/// micro-batch. That is cut in two, because only parts tell the noise.
std::int64_t measurable_micro_batch(std::span<const std::int64_t> slices, std::int64_t micro_batch);

/// Plans the measurement of a step. If a lone worker's single micro-batch was not cut, an eighth of its samples goes
/// through the model once more. This tells the noise from fewer samples.
///
/// The differences of consecutive steps' gradients would need no more passes. But the weights move between two steps,
/// and what this changes counts as noise (benchmarks/noise_scale).
MeasurementPlan plan_measurement(std::span<const std::int64_t> slices, std::int64_t micro_batch);

/// Estimates a trial's gradient noise scale: the batch, in samples, at which the noise of a step's gradient is as large
/// as the gradient. Up to about there, a larger batch saves as many steps as it costs samples (McCandlish et al., "An
/// Empirical Model of Large-Batch Training", 2018).
///
/// The mean gradient of n samples has the expected squared norm |G|² + S/n, where G is the gradient of the loss and S
/// is the trace of the samples' covariance. The norms of a step and of its parts tell S, and then the norm of the step
/// alone tells |G|² (appendix A.1). Single steps say nothing. So each of the two is averaged over the last hundred or
/// so measurements, and the noise scale is the ratio of the averages. The batch may change meanwhile, because neither
/// |G|² nor S depends on it.
///
/// Every member of a group has its own: members measure the same step, but other parts. All averages are linear in
/// what was measured. So the mean of the members' values of noise() is that of the group.
class NoiseScale {
  public:
    /// Takes in what was measured in a step. A norm that is not finite says nothing and is passed over.
    void add(const GradientNorms& norms);

    /// The noise scale, in samples. None after fewer than eight measurements of parts, or as long as the noise hides
    /// the gradient: then it is far above the batch.
    std::optional<double> value() const;

    /// S; 0 before the first measurement.
    double noise() const;
    /// |G|². The estimate is unbiased, so it may be negative.
    double gradient() const;

    /// Replaces noise() by the mean over the group.
    void set_noise(double noise);

    friend void to_json(nlohmann::json& json, const NoiseScale& scale);
    friend void from_json(const nlohmann::json& json, NoiseScale& scale);

  private:
    /// An exponential moving average that does not lean towards its beginning.
    struct Average {
        double sum = 0.0;  ///< weighted sum; the weights of `count` numbers add up to weight()
        std::int64_t count = 0;

        void add(double number);
        double weight() const;
        double value() const;
    };

    Average noise_;
    Average norm_;             ///< of the whole steps' squared norms
    Average inverse_samples_;  ///< of 1 / n over the same steps
};

}  // namespace crescendo::trainer
