#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "launch/messages/json.hpp"
#include "launch/system/temporary_log.hpp"

namespace crescendo::launch {

struct ConnectedProcess;

/// A warm trainer on this node that trains nothing, for orders outside of a session.
///
/// It has the first GPU of this process, or else computes on any of its cores. It ends when it is destroyed.
class IdleTrainer {
  public:
    struct Options {
        std::string program;    ///< path of crescendo-trainer
        std::string directory;  ///< working directory
        int threads = 1;        ///< compute threads
        /// Silence after which it is killed; none: it may be silent for ever.
        std::optional<std::chrono::milliseconds> patience = {};
    };

    /// Starts the trainer. Throws std::runtime_error if the program cannot be executed.
    explicit IdleTrainer(const Options& options);
    ~IdleTrainer();
    IdleTrainer(IdleTrainer&&) = delete;
    IdleTrainer& operator=(IdleTrainer&&) = delete;

    /// Sends an order, and waits for the answer of this type. Throws std::runtime_error with what the trainer says if
    /// it fails; then it has ended.
    Json ask(const Json& order, const std::string& answer_type);

  private:
    Json await(const std::string& type);

    Options options_;
    TemporaryLog log_;
    std::unique_ptr<ConnectedProcess> process_;
};

/// Name of the processor on which an IdleTrainer computes: the first GPU's, or else that of the cores.
std::string hardware_name();

}  // namespace crescendo::launch
