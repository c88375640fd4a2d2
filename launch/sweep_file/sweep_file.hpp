#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/sweep_file/mistakes.hpp"
#include "launch/sweep_file/overrides.hpp"
#include "launch/sweep_file/source_map.hpp"
#include "scheduler/sweep_spec.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::launch {

/// A sweep file, checked as far as its text alone allows.
///
/// The dialect is that of W&B sweeps where it has a word. `method: random` means the same as
/// `sampler: {type: random}`; `description`, `project` and `entity` are accepted and change nothing.
struct SweepFile {
    std::string name;          ///< usable as the name of a folder; the file's own name without extension unless given
    SweepSpec spec;            ///< passed validate()
    std::optional<int> slots;  ///< per node; none: as many as the node has
    int cpus_per_slot = 1;
    Binding bind = Binding::automatic;  ///< of workers to cores
    std::optional<std::chrono::seconds> time_budget;
    std::optional<Json> trainer;                      ///< an object, not interpreted here
    std::optional<std::vector<std::string>> command;  ///< macros not yet expanded; never beside `trainer`
    std::optional<std::chrono::seconds>
        hang_timeout;                      ///< of a worker that says nothing; none: it may be silent for ever
    simulator::SimulationSpec simulation;  ///< `simulate:`, or the defaults
    std::string program;                   ///< for `${program}`; empty unless given
    std::string text;                      ///< of the whole file, byte for byte
    SourceMap source;                      ///< to locate what others find wrong with a key
};

/// A sweep file that may be mistaken: what stands at the keys of a mistake has its default, or is missing.
struct SweepDraft {
    SweepFile file;
    Mistakes mistakes;
};

/// Throws InvalidInput where `text` is no YAML.
SweepDraft draft_sweep(const std::string& text, const std::filesystem::path& file,
                       const std::vector<Override>& overrides = {});

/// `overrides` take the place of what the file has, one after the other.
/// Throws InvalidInput with all mistakes: each with file, line, column and key, the problem and the remedy.
SweepFile read_sweep_file(const std::filesystem::path& path, const std::vector<Override>& overrides = {});

/// The same from memory; `file` is the file's name in messages.
SweepFile parse_sweep(const std::string& text, const std::filesystem::path& file,
                      const std::vector<Override>& overrides = {});

}  // namespace crescendo::launch
