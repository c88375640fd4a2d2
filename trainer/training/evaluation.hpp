#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/batch_loader.hpp"
#include "trainer/group/group.hpp"
#include "trainer/protocol/pulse.hpp"
#include "trainer/training/metric_sums.hpp"
#include "trainer/training/ranking.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// While it lives, a trial's network is in evaluation mode and uses the moving averages of its weights and buffers, or
/// the optimizer's average of the weights, if there is one.
class EvaluationMode {
  public:
    explicit EvaluationMode(Trial& trial);
    EvaluationMode(const EvaluationMode&) = delete;
    EvaluationMode& operator=(const EvaluationMode&) = delete;
    ~EvaluationMode();

  private:
    Trial& trial_;
    std::vector<at::Tensor> own_weights_;  ///< the network's own weights while it uses averages
};

/// Sums over samples, which are summed over a group's members before they become means.
struct EvaluationSums {
    double samples = 0.0;
    double left_out = 0.0;  ///< further samples, skipped because of non-finite numbers (NonFinite::skip)
    double loss = 0.0;
    double correct = 0.0;
    MetricSums metrics = {};
    BatchLoader::Seconds waited{};  ///< time spent waiting for data

    /// Everything except `waited` as numbers to sum over members; of() converts such sums back.
    std::vector<double> numbers() const;
    static EvaluationSums of(std::span<const double> numbers);
};

/// Evaluates the trial's model, with rank 0's buffers or their averages, on this member's share of the samples. Beats
/// `pulse` for each batch. Halves Trial::evaluation_batch() if memory runs out. Throws PeerLost.
EvaluationSums evaluate_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse);

/// Sums over batches of samples. They stay on the device, so that no batch waits for the previous one.
class SumsOnDevice {
  public:
    /// `trial` must outlive this object.
    explicit SumsOnDevice(const Trial& trial);

    /// Adds a batch. `samples` are the numbers of its samples in the set. Each batch's sums are converted to float64
    /// before they are added.
    void add(const at::Tensor& outputs, const at::Tensor& targets, const std::vector<std::int64_t>& samples);

    /// Returns the sums, with EvaluationSums::waited zero. Waits for the device. All members must call it together,
    /// because ranks compare their samples with those of other members. Throws PeerLost.
    EvaluationSums fetch(const Group& group) const;

  private:
    const Trial& trial_;
    std::int64_t samples_ = 0;
    /// Sums of the loss, of correct answers, and of the metrics, as float64. Undefined before the first batch.
    at::Tensor sums_;
    std::optional<Ranking> ranking_;
};

/// Throws std::runtime_error that says that `metric` has no samples, because data.nan: skip left out all of them.
[[noreturn]] void complain_of_no_samples(const std::string& metric);

/// Adds "<prefix>_loss", "<prefix>_accuracy" for classes, and the metrics in the trial's settings. `sums` are the whole
/// group's. Throws std::runtime_error if they have no samples.
void add_means(Metrics& metrics, const std::string& prefix, const EvaluationSums& sums, const Trial& trial);

}  // namespace crescendo::trainer
