#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/json/json.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/trial.hpp"

namespace crescendo::launch {

// The messages between crescendo and a sampler or stop rule that is a program. docs/sampler-protocol.md is the
// specification.

/// The first message: what is searched. `options` are for the program alone.
OrderedJson begin_message(const SweepFile& file, const OrderedJson& options = OrderedJson::object());

/// How a trial is now. `proposal`: the number of the proposal that it came from, if this process of the sampler made
/// it.
OrderedJson tell_message(const Trial& trial, Goal goal, std::optional<int> proposal);

/// Asks for a configuration. `draw` is one that the program may use, or change.
OrderedJson propose_message(int proposal, const Config& draw);

/// Asks whether to end a trial that has reported, and says what tell_message() does.
OrderedJson judge_message(const Trial& trial, Goal goal);

/// Says why a proposal is not used.
OrderedJson refused_message(int proposal, const std::string& reason);

/// What a sampler answers when it is asked for a configuration.
struct SamplerAnswer {
    std::optional<Config> config{};  ///< a configuration of the space; none: it has none yet
    bool is_done = false;            ///< it will never have another one
    std::string refusal{};           ///< why its configuration is not allowed, such as by a constraint; else empty
};

/// Reads the answer to the question for this proposal. Values of parameters that are absent or derived are left out.
/// Throws std::runtime_error if it is no answer, names another proposal, or if a value is none of its parameter's.
SamplerAnswer answer_from(std::string_view line, int proposal, const SearchSpace& space);

/// Reads the answer whether to end a trial. Throws std::runtime_error if it is none.
bool stop_from(std::string_view line);

}  // namespace crescendo::launch
