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

/// Warm trainers on this node that train nothing, for orders outside of a session. Several of them form a group, which
/// meets to carry out an order. The trainers end when this object is destroyed.
class IdleTrainers {
  public:
    struct Options {
        std::string program;                            ///< path of crescendo-trainer
        std::string directory;                          ///< working directory
        std::vector<SlotResources> slots{idle_slot()};  ///< resources of each trainer, by rank
        std::string interface = {};                     ///< network interface; empty: the environment's, or loopback
        /// Silence after which a trainer is killed; none: it may be silent forever.
        std::optional<std::chrono::milliseconds> patience = {};
        /// Command-line arguments of each trainer; null: no arguments.
        std::function<std::vector<std::string>(int rank)> arguments = {};
        /// Whether nobody waits for answers any more. Called ten times a second; null: never.
        std::function<bool()> is_ended = {};
    };

    /// Starts the trainers. Throws std::runtime_error if the program cannot be executed.
    explicit IdleTrainers(Options options);
    ~IdleTrainers();
    IdleTrainers(IdleTrainers&&) = delete;
    IdleTrainers& operator=(IdleTrainers&&) = delete;

    /// Sends each trainer its order, and waits until each has sent an answer of this type. Returns the answers by rank.
    /// Throws std::runtime_error with a trainer's own message if that trainer fails, in which case it has ended. Also
    /// throws once `is_ended` returns true.
    std::vector<Json> ask(const std::vector<Json>& orders, const std::string& answer_type);

    /// Waits until each trainer has sent a message of this type. Throws as ask() does.
    std::vector<Json> await(const std::string& type);

    /// An unbound slot: this process's first GPU, or any of its cores if it has no GPU.
    static SlotResources idle_slot(int threads = 1);

  private:
    struct Member;

    bool receive(std::size_t rank, const std::string& type, Json& answer);
    void require_life(const Member& member, const std::optional<std::string>& ending) const;

    Options options_;
    Rendezvous rendezvous_;
    std::vector<std::unique_ptr<Member>> members_;
};

/// Name of the processor that IdleTrainers::idle_slot() uses: the first GPU's, or else the CPU's.
std::string hardware_name();

}  // namespace crescendo::launch
