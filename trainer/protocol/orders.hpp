#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

namespace crescendo::trainer {

/// Where rank 0 has the trial's state from.
enum class StateSource { fresh, checkpoint, memory };

/// The orders of docs/trial-protocol.md, a struct each.
struct Join {
    std::int64_t trial = 0;
    std::int64_t generation = 0;
    int rank = 0;
    int size = 1;
    std::int64_t batch_multiple = 1;            ///< the group's batch is batch_size times this
    std::int64_t accumulation = 1;              ///< a worker's micro-batches are batch_size divided by this
    std::optional<std::int64_t> checkpoint_at;  ///< resource; none: no checkpoint before a report
    std::optional<std::int64_t> reported;       ///< resource of the last report that crescendo has
    std::int64_t max_resource = 0;
    std::uint64_t seed = 0;
    nlohmann::json settings;
    std::filesystem::path directory;
    StateSource state = StateSource::fresh;
    std::chrono::steady_clock::time_point read_at;  ///< when this process had the order in hand
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
    std::int64_t resource = 0;  ///< of the trial's last report: an older checkpoint is refused
    std::filesystem::path checkpoint;
    std::string data;  ///< "validation" or "test"
};

using Order = std::variant<Join, Decision, Leave, Evaluate>;

/// Throws std::runtime_error that names what is wrong with a message that is no order.
Order parse_order(const nlohmann::json& message);

}  // namespace crescendo::trainer
