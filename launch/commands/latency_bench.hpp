#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/directory/latency_record.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/display/table.hpp"
#include "launch/trainers/idle_trainers.hpp"

namespace crescendo::launch {

/// Measures the inference latency of a sweep's trained models. One trainer measures all of them.
class LatencyBench {
  public:
    struct Options {
        std::string data = "test";  ///< samples for inference: "test" or "validation"
        int threads = 1;            ///< compute threads
    };

    /// `sweep` must outlive the bench. Throws InvalidInput if it has no models of crescendo-trainer or no such samples.
    LatencyBench(const RecordedSweep& sweep, Options options);

    /// Weights of the model that is measured. They do not change its latency.
    enum class Weights {
        trained,  ///< from the trial's checkpoint, so that the metrics of its predictions are measured too
        random,   ///< for trials whose checkpoints are gone
    };

    /// The stored measurement, if measure() would only repeat it.
    std::optional<LatencyRecord> known(TrialId trial) const;

    /// Measures a trial, and stores the measurement with the trial's files. Throws std::runtime_error if the trainer
    /// fails, and DirectoryError if the measurement cannot be stored.
    LatencyRecord measure(TrialId trial, Weights weights);

  private:
    LatencyRecord blank(TrialId trial) const;

    const RecordedSweep& sweep_;
    Options options_;
    std::string hardware_;
    std::unique_ptr<IdleTrainers> trainer_;  ///< null before the first measurement, and after a failed one
};

/// A measurement as text, for people or for programs. The cost is omitted if no slot has a price.
std::string latency_text(const LatencyRecord& record, std::optional<double> price_of_slot_hour, Format format);

/// Adds `--data` and `--threads`, the options of the verbs that measure latency.
std::vector<CLI::Option*> add_latency_options(CLI::App& command, LatencyBench::Options& options);

}  // namespace crescendo::launch
