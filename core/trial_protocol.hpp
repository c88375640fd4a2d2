#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/fields.hpp"
#include "core/group_batch.hpp"
#include "core/ids.hpp"
#include "core/words.hpp"

/// The trial protocol: everything that crescendo and a trainer know about each other.
///
/// One JSON object per line, UTF-8, in both directions over the stream socket whose descriptor number is in
/// CRESCENDO_FD. docs/trial-protocol.md is the specification. This header has its messages as structs, for both ends,
/// and its words as constants. core/message_json.hpp writes and reads the messages.
namespace crescendo::protocol {

/// Environment of a trainer.
inline constexpr const char* fd_variable = "CRESCENDO_FD";                        ///< descriptor of the socket
inline constexpr const char* trial_variable = "CRESCENDO_TRIAL";                  ///< number of the trial
inline constexpr const char* seed_variable = "CRESCENDO_SEED";                    ///< the trial's own seed
inline constexpr const char* directory_variable = "CRESCENDO_TRIAL_DIR";          ///< folder for the trial's files
inline constexpr const char* max_resource_variable = "CRESCENDO_MAX_RESOURCE";    ///< resource at which the trial ends
inline constexpr const char* metric_variable = "CRESCENDO_METRIC";                ///< programs: the sweep's metric
inline constexpr const char* device_variable = "CRESCENDO_DEVICE";                ///< warm trainers: "cpu" or "cuda"
inline constexpr const char* threads_variable = "CRESCENDO_THREADS";              ///< warm trainers: compute threads
inline constexpr const char* gpu_share_variable = "CRESCENDO_GPU_SHARE";          ///< workers on its GPU, if several
inline constexpr const char* group_timeout_variable = "CRESCENDO_GROUP_TIMEOUT";  ///< warm trainers: time-out, seconds
inline constexpr const char* shared_memory_variable = "CRESCENDO_SHARED_MEMORY";  ///< crescendo-trainer: a MemoryFile

/// Names of files in a trial's folder that both ends use.
namespace trial_files {
inline constexpr const char* log = "trainer.log";           ///< what the trial's program or trainers printed
inline constexpr const char* checkpoint = "checkpoint.pt";  ///< checkpoint of crescendo-trainer
}  // namespace trial_files

/// Values of "type". A program that is started for one trial needs none of them: it writes
/// {"resource":…,"metrics":{…}} and reads {"decision":"continue"|"stop"}.
namespace type {
// crescendo → trainer
inline constexpr const char* join = "join";                        ///< form or enter a trial's group
inline constexpr const char* decision = "decision";                ///< answer to a report
inline constexpr const char* leave = "leave";                      ///< leave the trial
inline constexpr const char* evaluate = "evaluate";                ///< run a checkpoint over a data set
inline constexpr const char* measure_latency = "measure_latency";  ///< answer samples one at a time
inline constexpr const char* profile = "profile";                  ///< measure where a step's time goes
inline constexpr const char* store = "store";                      ///< answer to a store request
// trainer → crescendo
inline constexpr const char* hello = "hello";                  ///< ready for work
inline constexpr const char* report = "report";                ///< metrics at a resource
inline constexpr const char* regrouped = "regrouped";          ///< a new generation trains
inline constexpr const char* timed = "timed";                  ///< how long a trial's first steps take
inline constexpr const char* progress = "progress";            ///< the main thread is alive
inline constexpr const char* stranded = "stranded";            ///< the worker lost its group and waits for an order
inline constexpr const char* left = "left";                    ///< has left the trial and is idle again
inline constexpr const char* failed = "failed";                ///< gave up; the process ends
inline constexpr const char* evaluated = "evaluated";          ///< metrics of an evaluation
inline constexpr const char* latency = "latency";              ///< times of answers, one sample at a time
inline constexpr const char* profiled = "profiled";            ///< where a step's time goes
inline constexpr const char* group_checked = "group_checked";  ///< the group that `--check-group` formed works
}  // namespace type

/// Values of "kind" in "failed".
namespace failure {
inline constexpr const char* error = "error";
inline constexpr const char* out_of_memory = "out_of_memory";  ///< memory of the GPU or of the machine
inline constexpr const char* disk = "disk";                    ///< no room on the disk for the checkpoint
}  // namespace failure

/// A value that only its reader interprets, as JSON text.
struct JsonText {
    std::string text = "null";

    friend bool operator==(const JsonText&, const JsonText&) = default;
};

using Metrics = std::map<std::string, double>;  ///< NaN if a metric is not finite

/// The metric with this name; none if there is none.
inline std::optional<double> find_metric(const Metrics& metrics, const std::string& name) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

/// Where rank 0 gets a trial's state from.
enum class StateSource { fresh, checkpoint, memory };
inline constexpr Words state_sources{
    {std::pair{StateSource::fresh, "new"}, {StateSource::checkpoint, "checkpoint"}, {StateSource::memory, "memory"}}};

// ---- crescendo → trainer ----

/// Form a trial's group, or enter it.
struct Join {
    static constexpr const char* name = type::join;

    TrialId trial;
    int generation = 0;
    int rank = 0;
    int size = 1;
    GroupBatch batch;
    std::optional<Resource> checkpoint_at;  ///< resource of the next checkpoint; none: write none
    std::optional<Resource> reported;       ///< resource of the last report that crescendo received
    Resource max_resource;
    std::uint64_t seed = 0;
    std::uint64_t sweep_seed = 0;  ///< the same for all trials
    JsonText settings;             ///< the trainer's settings, with the trial's parameters
    std::string directory;         ///< folder of the trial's files; it exists
    StateSource state = StateSource::fresh;

    static constexpr auto fields() {
        return std::tuple_cat(
            std::tuple(Field{"trial", &Join::trial}, Field{"generation", &Join::generation}, Field{"rank", &Join::rank},
                       Field{"size", &Join::size}),
            fields_of(&Join::batch),
            std::tuple(Field{"checkpoint_at", &Join::checkpoint_at, Presence::optional},
                       Field{"reported", &Join::reported, Presence::optional},
                       Field{"max_resource", &Join::max_resource}, Field{"seed", &Join::seed},
                       Field{"sweep_seed", &Join::sweep_seed, Presence::optional}, Field{"settings", &Join::settings},
                       Field{"directory", &Join::directory}, Field{"state", &Join::state}));
    }
};

/// Values of "decision".
namespace decision {
inline constexpr const char* proceed = "continue";
inline constexpr const char* stop = "stop";  ///< for programs; warm trainers get `leave`
}  // namespace decision

/// Answers a report: the trial continues training.
struct Decision {
    static constexpr const char* name = type::decision;

    TrialId trial;
    std::optional<int> batch_multiple;      ///< none: unchanged
    std::optional<Resource> checkpoint_at;  ///< resource of the next checkpoint; none: write none
    std::string decision = decision::proceed;

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Decision::trial},
                          Field{"batch_multiple", &Decision::batch_multiple, Presence::optional},
                          Field{"checkpoint_at", &Decision::checkpoint_at, Presence::optional},
                          Field{"decision", &Decision::decision, Presence::optional});
    }
};

/// Leave the trial. With `save`, rank 0 writes its checkpoint first.
struct Leave {
    static constexpr const char* name = type::leave;

    TrialId trial;
    bool save = false;

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Leave::trial}, Field{"save", &Leave::save, Presence::optional});
    }
};

/// Run a checkpoint's model over a data set. The trainer is idle.
struct Evaluate {
    static constexpr const char* name = type::evaluate;

    TrialId trial;
    JsonText settings;
    Resource resource;  ///< resource of the trial's last report; an older checkpoint is refused
    std::string checkpoint;
    std::string data;        ///< "validation" or "test"
    std::uint64_t seed = 0;  ///< the trial's training seed, so that a program repeats its random split of the data

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Evaluate::trial}, Field{"settings", &Evaluate::settings},
                          Field{"resource", &Evaluate::resource}, Field{"checkpoint", &Evaluate::checkpoint},
                          Field{"data", &Evaluate::data}, Field{"seed", &Evaluate::seed, Presence::optional});
    }
};

/// Have a checkpoint's model answer the samples of a data set one at a time, and measure how long each answer takes.
/// Without a checkpoint, the model has random weights and its answers have no metrics. The trainer is idle.
struct MeasureLatency : Evaluate {
    static constexpr const char* name = type::measure_latency;

    int num_warm_ups = 0;  ///< answers before the first that counts

    static constexpr auto fields() {
        return std::tuple_cat(Evaluate::fields(), std::tuple(Field{"warm_ups", &MeasureLatency::num_warm_ups}));
    }
};

/// Train a new trial for a while as a member of a group, and measure where the time of a step goes. The trainer is idle
/// before it, and again after its answer. Rank 0 writes a checkpoint to `directory`, to measure how long that takes.
struct Profile : Join {
    static constexpr const char* name = type::profile;

    double seconds = 0;  ///< approximate time for each measurement
    std::string trace;   ///< file for rank 0's trace of some steps, as Chrome and Perfetto read it; empty: no trace

    static constexpr auto fields() {
        return std::tuple_cat(Join::fields(), std::tuple(Field{"seconds", &Profile::seconds},
                                                         Field{"trace", &Profile::trace, Presence::optional}));
    }
};

// ---- trainer → crescendo ----

/// Ready for work.
struct Hello {
    static constexpr const char* name = type::hello;

    std::int64_t pid = 0;
    std::string version;

    static constexpr auto fields() {
        return std::tuple(Field{"pid", &Hello::pid, Presence::optional},
                          Field{"version", &Hello::version, Presence::optional});
    }
};

/// Metrics at a resource.
struct Report {
    static constexpr const char* name = type::report;

    TrialId trial = {};
    int generation = -1;  ///< generation of the group that trained; -1: programs do not send it
    Resource resource = {};
    Metrics metrics = {};
    std::optional<double> seconds = {};    ///< the trial's training clock: steps and regroups since the trial began
    std::optional<double> evaluated = {};  ///< seconds of evaluations since the trial began
    std::optional<double> data_wait = {};  ///< share of the time since the last report that the group waited for data
    std::optional<double> samples_left_out = {};  ///< share of the samples since then that data.nan: skip left out

    /// Mean seconds of an optimizer step since the last report, including the wait for data. Excludes a group's first
    /// step.
    std::optional<double> step_seconds = {};
    std::optional<double> group_batch = {};  ///< samples in an optimizer step of the whole group
    std::optional<double> noise_scale = {};  ///< gradient noise scale in samples, smoothed (McCandlish et al. 2018)

    /// What a report may say about how its trial trained. A trainer omits what it does not measure. These fields have
    /// the same keys in the journal.
    static constexpr auto measures() {
        return std::tuple(Field{"data_wait", &Report::data_wait, Presence::optional},
                          Field{"samples_left_out", &Report::samples_left_out, Presence::optional});
    }
    /// What a report may say about its optimizer steps.
    static constexpr auto steps() {
        return std::tuple(Field{"step_seconds", &Report::step_seconds, Presence::optional},
                          Field{"group_batch", &Report::group_batch, Presence::optional},
                          Field{"noise_scale", &Report::noise_scale, Presence::optional});
    }
    /// What programs send: they need not name the trial.
    static constexpr auto content() {
        return std::tuple_cat(std::tuple(Field{"resource", &Report::resource}, Field{"metrics", &Report::metrics},
                                         Field{"seconds", &Report::seconds, Presence::optional},
                                         Field{"evaluated", &Report::evaluated, Presence::optional}),
                              measures(), steps());
    }
    static constexpr auto fields() {
        return std::tuple_cat(std::tuple(Field{"trial", &Report::trial}, Field{"generation", &Report::generation}),
                              content());
    }
};

/// A new generation trains.
struct Regrouped {
    static constexpr const char* name = type::regrouped;

    TrialId trial;
    int generation = 0;
    double seconds = 0;                       ///< time from the order at rank 0 to the end of the first step
    std::optional<double> step_seconds = {};  ///< mean seconds of the steps since then; none: not measured
    Metrics phases = {};                      ///< parts of `seconds`, and the wait for the order before it (`decide`)

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Regrouped::trial, Presence::optional},
                          Field{"generation", &Regrouped::generation}, Field{"seconds", &Regrouped::seconds},
                          Field{"step_seconds", &Regrouped::step_seconds, Presence::optional},
                          Field{"phases", &Regrouped::phases, Presence::optional});
    }
};

/// How long the first steps of a trial take, sent before its first report. The trial's group may change after that.
struct Timed {
    static constexpr const char* name = type::timed;

    TrialId trial;
    int generation = 0;
    double step_seconds = 0;  ///< mean seconds of some steps, none of which prepares others
    double group_batch = 0;   ///< samples in each of these steps, over the whole group
    std::optional<double> samples_per_resource{};  ///< samples in a unit of the resource, such as an epoch

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Timed::trial, Presence::optional}, Field{"generation", &Timed::generation},
                          Field{"step_seconds", &Timed::step_seconds}, Field{"group_batch", &Timed::group_batch},
                          Field{"samples_per_resource", &Timed::samples_per_resource, Presence::optional});
    }
};

/// The main thread is alive.
struct SignOfLife {
    static constexpr const char* name = type::progress;

    static constexpr auto fields() { return std::tuple(); }
};

/// The worker lost its group, and waits for an order.
struct Stranded {
    static constexpr const char* name = type::stranded;

    TrialId trial;
    int generation = 0;

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Stranded::trial, Presence::optional},
                          Field{"generation", &Stranded::generation});
    }
};

/// The worker has left the trial and is idle again.
struct Left {
    static constexpr const char* name = type::left;

    TrialId trial;
    bool saved = false;

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Left::trial, Presence::optional},
                          Field{"saved", &Left::saved, Presence::optional});
    }
};

/// The trainer gives up, and its process ends.
struct Failed {
    static constexpr const char* name = type::failed;

    std::optional<TrialId> trial;  ///< none: the trainer had not received an order
    std::string kind;              ///< one of `failure`
    std::string message;

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Failed::trial, Presence::optional},
                          Field{"kind", &Failed::kind, Presence::optional},
                          Field{"message", &Failed::message, Presence::optional});
    }
};

/// Metrics of an evaluation.
struct Evaluated {
    static constexpr const char* name = type::evaluated;

    TrialId trial;
    Metrics metrics;

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Evaluated::trial, Presence::optional}, Field{"metrics", &Evaluated::metrics});
    }
};

/// How long the answers to single samples took, in seconds, from the sample in host memory to the answer there.
struct Latency {
    static constexpr const char* name = type::latency;

    TrialId trial = {};
    std::int64_t samples = 0;  ///< number of answers that count
    double mean = 0;
    double p50 = 0;        ///< half of the answers took no longer
    double p99 = 0;        ///< 99 of 100 answers took no longer
    Metrics metrics = {};  ///< metrics of these answers; empty if the weights were random

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Latency::trial, Presence::optional}, Field{"samples", &Latency::samples},
                          Field{"mean", &Latency::mean}, Field{"p50", &Latency::p50}, Field{"p99", &Latency::p99},
                          Field{"metrics", &Latency::metrics, Presence::optional});
    }
};

/// Where the time of a trial's steps goes, as one member of its group sees it. Times are in seconds.
struct Profiled {
    static constexpr const char* name = type::profiled;

    TrialId trial = {};
    std::int64_t steps = 0;        ///< number of measured steps
    std::int64_t group_batch = 0;  ///< samples of a step, over all members
    std::int64_t epoch_steps = 0;  ///< steps of an epoch
    double step = 0;               ///< mean time of a step, as in training
    /// Mean times of the parts of a step. On a GPU they were measured one after the other; in training they overlap.
    Metrics parts = {};
    double without_data = 0;                ///< mean time of a step if each step reuses the same samples
    double without_model = 0;               ///< mean time of a step that only brings its samples to the device
    std::optional<double> evaluation = {};  ///< evaluation of all validation samples; none: there are none
    std::optional<double> checkpoint = {};  ///< writing a checkpoint from the weights to the disk; none: not rank 0
    double flop = 0;                        ///< floating-point operations of a step on this member
    double matmul = 0;                      ///< operations per second that this member reaches in matrix products

    static constexpr auto fields() {
        return std::tuple(Field{"trial", &Profiled::trial}, Field{"steps", &Profiled::steps},
                          Field{"group_batch", &Profiled::group_batch}, Field{"epoch_steps", &Profiled::epoch_steps},
                          Field{"step", &Profiled::step}, Field{"parts", &Profiled::parts},
                          Field{"without_data", &Profiled::without_data},
                          Field{"without_model", &Profiled::without_model},
                          Field{"evaluation", &Profiled::evaluation, Presence::optional},
                          Field{"checkpoint", &Profiled::checkpoint, Presence::optional},
                          Field{"flop", &Profiled::flop}, Field{"matmul", &Profiled::matmul});
    }
};

}  // namespace crescendo::protocol
