#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/trainers/rendezvous.hpp"

namespace crescendo::launch {

/// Warm trainers on this node that train nothing, for orders outside of a session. Several of them are a group, which
/// meets to carry an order out. They end when this is destroyed.
class IdleTrainers {
  public:
    struct Options {
        std::string program;                            ///< path of crescendo-trainer
        std::string directory;                          ///< working directory
        std::vector<SlotResources> slots{idle_slot()};  ///< of each trainer, by its rank
        std::string interface = {};                     ///< network interface; empty: the environment's, or loopback
        /// Silence after which a trainer is killed; none: it may be silent for ever.
        std::optional<std::chrono::milliseconds> patience = {};
        /// The command line of each trainer, after the program; null: it has none.
        std::function<std::vector<std::string>(int rank)> arguments = {};
        /// Whether nobody waits for answers any more, asked ten times a second; null: somebody does.
        std::function<bool()> is_ended = {};
    };

    /// Starts the trainers. Throws std::runtime_error if the program cannot be executed.
    explicit IdleTrainers(Options options);
    ~IdleTrainers();
    IdleTrainers(IdleTrainers&&) = delete;
    IdleTrainers& operator=(IdleTrainers&&) = delete;

    /// Sends each trainer its order, and waits until each has answered with this type. Throws std::runtime_error with
    /// what a trainer says if it fails; then it has ended. Throws also once `is_ended`. Returns the answers by rank.
    std::vector<Json> ask(const std::vector<Json>& orders, const std::string& answer_type);

    /// Waits until each trainer has sent a message of this type. Throws as ask() does.
    std::vector<Json> await(const std::string& type);

    /// A slot without bounds: the first GPU of this process, or else any of its cores.
    static SlotResources idle_slot(int threads = 1);

  private:
    struct Member;

    bool receive(std::size_t rank, const std::string& type, Json& answer);
    void require_life(const Member& member, const std::optional<std::string>& ending) const;

    Options options_;
    Rendezvous rendezvous_;
    std::vector<std::unique_ptr<Member>> members_;
};

/// Name of the processor of IdleTrainers::idle_slot(): the first GPU's, or else that of the cores.
std::string hardware_name();

}  // namespace crescendo::launch
