#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/json/json.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/trial.hpp"

namespace crescendo::launch {

// The messages between crescendo and a sampler or stop rule that runs as a separate program. docs/sampler-protocol.md
// specifies them.

/// The first message: describes the search. `options` are only for the program.
OrderedJson begin_message(const SweepFile& file, const OrderedJson& options = OrderedJson::object());

/// Reports the present state of a trial. `proposal` is the number of the proposal that it came from, if this process of
/// the sampler made it.
OrderedJson tell_message(const Trial& trial, Goal goal, std::optional<int> proposal);

/// Asks for a configuration. The program may return `draw`, a random configuration, or change it.
OrderedJson propose_message(int proposal, const Config& draw);

/// Asks whether to end a trial that has reported. Has the same content as tell_message().
OrderedJson judge_message(const Trial& trial, Goal goal);

/// Explains why a proposal is not used.
OrderedJson refused_message(int proposal, const std::string& reason);

/// A sampler's answer to propose_message().
struct SamplerAnswer {
    std::optional<Config> config{};  ///< a configuration of the space; none: it has none yet
    bool is_done = false;            ///< it will never have another configuration
    std::string refusal{};           ///< why its configuration is not allowed, for example by a constraint; else empty
};

/// Reads the answer to the question for this proposal. Leaves out the values of absent and derived parameters. Throws
/// std::runtime_error if the line is not an answer, names another proposal, or has a value that its parameter cannot
/// have.
SamplerAnswer answer_from(std::string_view line, int proposal, const SearchSpace& space);

/// Reads the answer whether to end a trial. Throws std::runtime_error if the line is not such an answer.
bool stop_from(std::string_view line);

}  // namespace crescendo::launch
