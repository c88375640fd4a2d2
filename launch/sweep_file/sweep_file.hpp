#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/messages/supervision.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "launch/sweep_file/search/sampler_command.hpp"
#include "launch/sweep_file/sections/entry.hpp"
#include "launch/sweep_file/sections/hooks.hpp"
#include "launch/sweep_file/sections/keep.hpp"
#include "launch/sweep_file/sections/price.hpp"
#include "launch/sweep_file/sections/remark.hpp"
#include "launch/sweep_file/sections/stop_rule.hpp"
#include "launch/yaml/mistakes.hpp"
#include "launch/yaml/source_map.hpp"
#include "scheduler/sweep_spec.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::launch {

/// How a program of `command:` gets more or fewer workers while its trial trains.
enum class GrowMode {
    none,      ///< it keeps the workers that it began with
    restart,   ///< it saves a checkpoint and exits, and is started again with the new group
    in_place,  ///< it is a warm trainer of the trial protocol, and regroups in memory
};

/// A sweep file, checked as far as its text alone allows.
///
/// It uses the words of W&B sweeps wherever W&B has one. `method: random` means the same as `sampler: {type: random}`;
/// `description`, `project`, `entity`, `apiVersion`, `kind` and `controller` are accepted and change nothing.
struct SweepFile {
    std::string name;          ///< a valid folder name; default: the file's name without extension
    SweepSpec spec;            ///< input of the scheduler; it passed validate()
    std::vector<std::string> groups;  ///< parameters that hold others: dotted names, outer before inner; see nested()
    std::vector<std::string> plugins;       ///< paths of shared libraries with the user's samplers and stop rules
    std::optional<SamplerCommand> sampler;  ///< what proposes configurations; none: spec.sampler, one of Crescendo's
    std::vector<std::string> warm_start;    ///< sweeps and CSV files to learn from; gather_warm_start() reads them
    std::optional<StopRuleSpec> stop_rule;  ///< class of a plug-in that ends trials
    std::optional<int> slots;  ///< slots per node; none: as many as the node has
    int cpus_per_slot = 1;
    std::optional<int> slots_per_gpu;   ///< slots that share a GPU; none: not given, so each GPU is one slot
    Binding bind = Binding::automatic;  ///< whether workers are bound to cores
    std::optional<std::chrono::seconds> time_budget;
    std::optional<std::chrono::seconds> trial_time;  ///< wall time for which a trial may hold slots, over all sessions
    std::optional<Json> trainer;                      ///< the section `trainer`, an object that is not interpreted here
    std::optional<std::vector<std::string>> command;  ///< command with macros; never together with `trainer`
    bool is_adapted_to_wandb = false;  ///< whether `command` was changed to run the adapter for W&B
    GrowMode grow = GrowMode::none;    ///< for the program of `command`
    bool final_test = false;  ///< whether the program of `command` tests the best trial at the end
    Supervision supervision;                           ///< `report` and `hang_timeout`
    std::optional<Price> price;                        ///< price of an hour; none: not given
    Keep keep;                                         ///< which files of ended trials are kept
    Hooks hooks;                                       ///< commands to run when a session ends
    simulator::SimulationSpec simulation;              ///< `simulate:`, or the defaults
    Entry entry;                                       ///< the sweep's data for an entry of a benchmark
    std::vector<Remark> remarks;
    std::string program;                               ///< value of `${program}`; empty unless given
    std::string text;                                  ///< text of the whole file, byte for byte
    SourceMap source;                                  ///< positions of the keys, for messages

    /// Whether trainer processes stay warm from trial to trial, instead of being started for each trial.
    bool has_warm_trainers() const { return trainer || grow == GrowMode::in_place; }

    std::optional<double> time_budget_seconds() const {
        return time_budget ? std::optional(std::chrono::duration<double>(*time_budget).count()) : std::nullopt;
    }

    /// The slots that each node should have.
    SlotPlan::Wishes wishes() const { return {slots, cpus_per_slot, bind, slots_per_gpu.value_or(1)}; }

    /// Whether the best trial is measured on test data at the end.
    bool has_final_test() const;
};

/// A sweep file that may have mistakes. Keys with mistakes have their default values, or none.
struct SweepDraft {
    SweepFile file;
    Mistakes mistakes;
};

/// Whether a sweep begins or continues. A sweep that continues keeps the command with which it began, even if its
/// script has changed its imports.
enum class SweepStage { begins, goes_on };

/// Reads as much of a sweep file as possible. Throws InvalidInput if `text` is not YAML.
SweepDraft draft_sweep(const std::string& text, const std::filesystem::path& file,
                       const std::vector<Override>& overrides = {}, SweepStage stage = SweepStage::begins);

/// Reads a sweep file. `overrides` replace values of the file, in order. Throws InvalidInput with all mistakes, each
/// with file, line, column and key, the problem and the remedy.
SweepFile read_sweep_file(const std::filesystem::path& path, const std::vector<Override>& overrides = {},
                          SweepStage stage = SweepStage::begins);

/// Reads a sweep file from memory, as read_sweep_file() does. `file` is its name in messages.
SweepFile parse_sweep(const std::string& text, const std::filesystem::path& file,
                      const std::vector<Override>& overrides = {}, SweepStage stage = SweepStage::begins);

}  // namespace crescendo::launch
