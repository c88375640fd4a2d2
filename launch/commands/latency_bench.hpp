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

/// Measures how fast the models of a sweep's trials answer. One trainer measures all of them.
class LatencyBench {
  public:
    struct Options {
        std::string data = "test";  ///< samples to answer: "test" or "validation"
        int threads = 1;            ///< compute threads
    };

    /// `sweep` must outlive the bench. Throws InvalidInput if it has no models of crescendo-trainer or no such samples.
    LatencyBench(const RecordedSweep& sweep, Options options);

    /// What a model is before it answers. It takes as long for its answers in both cases.
    enum class Weights {
        trained,  ///< as in the trial's checkpoint, so that the metrics of its answers are measured too
        random,   ///< for trials whose checkpoints are gone
    };

    /// The measurement that is kept, if measure() would repeat it.
    std::optional<LatencyRecord> known(TrialId trial) const;

    /// Measures a trial, and keeps the measurement with the trial's files. Throws std::runtime_error if the trainer
    /// fails, and DirectoryError if the measurement could not be kept.
    LatencyRecord measure(TrialId trial, Weights weights);

  private:
    LatencyRecord blank(TrialId trial) const;

    const RecordedSweep& sweep_;
    Options options_;
    std::string hardware_;
    std::unique_ptr<IdleTrainers> trainer_;  ///< none before the first measurement, and after one that failed
};

/// A measurement for people or for programs. Cost is left out if no slot has a price.
std::string latency_text(const LatencyRecord& record, std::optional<double> price_of_slot_hour, Format format);

/// `--data` and `--threads`, of the verbs that measure.
std::vector<CLI::Option*> add_latency_options(CLI::App& command, LatencyBench::Options& options);

}  // namespace crescendo::launch
