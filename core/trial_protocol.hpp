#pragma once

/// The trial protocol: everything that crescendo and a trainer know about each other.
///
/// One JSON object a line, UTF-8, in both directions over the stream socket whose descriptor number is in CRESCENDO_FD.
/// docs/trial-protocol.md is the specification; this header holds its words as constants.
namespace crescendo::protocol {

/// Environment of a trainer.
inline constexpr const char* fd_variable = "CRESCENDO_FD";                        ///< descriptor of the socket
inline constexpr const char* trial_variable = "CRESCENDO_TRIAL";                  ///< number of the trial
inline constexpr const char* seed_variable = "CRESCENDO_SEED";                    ///< the trial's own seed
inline constexpr const char* directory_variable = "CRESCENDO_TRIAL_DIR";          ///< folder for the trial's files
inline constexpr const char* max_resource_variable = "CRESCENDO_MAX_RESOURCE";    ///< resource at which the trial ends
inline constexpr const char* device_variable = "CRESCENDO_DEVICE";                ///< warm trainers: "cpu" or "cuda"
inline constexpr const char* threads_variable = "CRESCENDO_THREADS";              ///< warm trainers: compute threads
inline constexpr const char* group_timeout_variable = "CRESCENDO_GROUP_TIMEOUT";  ///< warm trainers: time-out, seconds

/// Values of "type". A program that is started for one trial needs none of them: it writes
/// {"resource":…,"metrics":{…}} and reads {"decision":"continue"|"stop"}.
namespace type {
// crescendo → trainer
inline constexpr const char* join = "join";          ///< form or enter a trial's group
inline constexpr const char* decision = "decision";  ///< answer to a report
inline constexpr const char* leave = "leave";        ///< leave the trial
inline constexpr const char* evaluate = "evaluate";  ///< run a checkpoint over a data set
inline constexpr const char* store = "store";        ///< answer to a store request
// trainer → crescendo
inline constexpr const char* hello = "hello";                  ///< ready for work
inline constexpr const char* report = "report";                ///< metrics at a resource
inline constexpr const char* regrouped = "regrouped";          ///< the first step of a new generation is done
inline constexpr const char* progress = "progress";            ///< the main thread is alive
inline constexpr const char* stranded = "stranded";            ///< the worker lost its group and waits for an order
inline constexpr const char* left = "left";                    ///< has left the trial and is idle again
inline constexpr const char* failed = "failed";                ///< gave up; the process ends
inline constexpr const char* evaluated = "evaluated";          ///< metrics of an evaluation
inline constexpr const char* group_checked = "group_checked";  ///< the group that `--check-group` formed works
}  // namespace type

/// Values of "kind" in "failed".
namespace failure {
inline constexpr const char* error = "error";
inline constexpr const char* out_of_memory = "out_of_memory";  ///< memory of the GPU or of the machine
inline constexpr const char* disk = "disk";                    ///< there is no room for the checkpoint
}  // namespace failure

}  // namespace crescendo::protocol
