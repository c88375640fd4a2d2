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

/// Has a trial's network compute as in evaluation, as long as this lives: with the moving averages of its weights
/// and buffers, or with the average that its optimizer makes, if there is one.
class EvaluationMode {
  public:
    explicit EvaluationMode(Trial& trial);
    EvaluationMode(const EvaluationMode&) = delete;
    EvaluationMode& operator=(const EvaluationMode&) = delete;
    ~EvaluationMode();

  private:
    Trial& trial_;
    std::vector<at::Tensor> own_weights_;  ///< of the network, while it has others
};

/// Sums over samples, added over a group's members before they become means.
struct EvaluationSums {
    double samples = 0.0;
    double left_out = 0.0;  ///< samples beside these, with numbers that are not finite (datasets::NonFinite::skip)
    double loss = 0.0;
    double correct = 0.0;
    MetricSums metrics = {};
    BatchLoader::Seconds waited{};  ///< time that was spent waiting for data

    /// All but the time as numbers to be added over members, and sums of such numbers.
    std::vector<double> numbers() const;
    static EvaluationSums of(std::span<const double> numbers);
};

/// Runs the trial's model, with rank 0's buffers or their averages, over this member's share of the samples, in
/// evaluation mode and without training. Beats `pulse` for each batch. Where the memory does not suffice for
/// Trial::evaluation_batch(), it halves that. Throws PeerLost.
EvaluationSums evaluate_share(Trial& trial, datasets::SampleStream& stream, const Group& group, Pulse& pulse);

/// Sums over batches of samples. They stay on the device, so that no batch waits for the one before it.
class SumsOnDevice {
  public:
    /// `trial` must outlive the sums.
    explicit SumsOnDevice(const Trial& trial);

    /// Adds a batch of samples by their numbers in the set. The batch's own sums are made float64 first.
    void add(const at::Tensor& outputs, const at::Tensor& targets, const std::vector<std::int64_t>& samples);

    /// Waits for the device. The time spent waiting for data is left at zero. All members call it together, for ranks
    /// take a look at the others' samples. Throws PeerLost.
    EvaluationSums fetch(const Group& group) const;

  private:
    const Trial& trial_;
    std::int64_t samples_ = 0;
    /// Of the loss, of right answers, and those of the metrics, as float64. Undefined before the first batch.
    at::Tensor sums_;
    std::optional<Ranking> ranking_;
};

/// Throws std::runtime_error: `metric` is of no samples, since data.nan: skip left out all of them.
[[noreturn]] void complain_of_no_samples(const std::string& metric);

/// Adds "<prefix>_loss", for classes "<prefix>_accuracy", and the metrics of the trial's settings, of the whole group's
/// sums. Throws std::runtime_error where these are of no samples.
void add_means(Metrics& metrics, const std::string& prefix, const EvaluationSums& sums, const Trial& trial);

}  // namespace crescendo::trainer
