#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

namespace crescendo::trainer {

/// Where rank 0 gets the trial's state from.
enum class StateSource { fresh, checkpoint, memory };

/// The order `join` of docs/trial-protocol.md: form a trial's group.
struct Join {
    std::int64_t trial = 0;
    std::int64_t generation = 0;
    int rank = 0;
    int size = 1;
    std::int64_t batch_multiple = 1;            ///< the group's batch is batch_size times this
    std::int64_t accumulation = 1;              ///< a worker's micro-batches are batch_size divided by this
    std::optional<std::int64_t> checkpoint_at;  ///< resource of the next checkpoint; none: write none
    std::optional<std::int64_t> reported;       ///< resource of the last report that crescendo has
    std::int64_t max_resource = 0;
    std::uint64_t seed = 0;
    nlohmann::json settings;
    std::filesystem::path directory;
    StateSource state = StateSource::fresh;
    std::chrono::steady_clock::time_point read_at;  ///< when this process read the order
};

struct Decision {
    std::int64_t trial = 0;
    std::optional<std::int64_t> batch_multiple;
    std::optional<std::int64_t> checkpoint_at;
};

struct Leave {
    std::int64_t trial = 0;
    bool save = false;
};

struct Evaluate {
    std::int64_t trial = 0;
    nlohmann::json settings;
    std::int64_t resource = 0;  ///< resource of the trial's last report: an older checkpoint is refused
    std::filesystem::path checkpoint;
    std::string data;  ///< "validation" or "test"
};

using Order = std::variant<Join, Decision, Leave, Evaluate>;

/// Reads an order. Throws std::runtime_error that says what is wrong if the message is not one.
Order parse_order(const nlohmann::json& message);

}  // namespace crescendo::trainer
