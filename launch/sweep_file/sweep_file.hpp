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

/// How a program of `command:` gets other workers while its trials train.
enum class GrowMode {
    none,      ///< it keeps as many as it began with
    restart,   ///< it saves and ends, and is started anew in the new group
    in_place,  ///< it is a warm trainer of the trial protocol, and regroups in memory
};

/// A sweep file, checked as far as its text alone allows.
///
/// It uses the words of W&B sweeps wherever W&B has one. `method: random` means the same as `sampler: {type: random}`;
/// `description`, `project`, `entity`, `apiVersion`, `kind` and `controller` are accepted and change nothing.
struct SweepFile {
    std::string name;          ///< can be the name of a folder; default: the file's name without extension
    SweepSpec spec;            ///< what the scheduler needs; it passed validate()
    std::vector<std::string> groups;  ///< parameters that hold others, dotted, outer before inner; see nested()
    std::vector<std::string> plugins;       ///< paths of shared libraries with samplers and stop rules of the user's
    std::optional<SamplerCommand> sampler;  ///< the program that proposes configurations; none: spec.sampler is ours
    std::vector<std::string> warm_start;    ///< sweeps and CSV files to learn from; gather_warm_start() reads them
    std::optional<StopRuleSpec> stop_rule;  ///< the class of a plug-in that ends trials
    std::optional<int> slots;  ///< slots per node; none: as many as the node has
    int cpus_per_slot = 1;
    std::optional<int> slots_per_gpu;   ///< slots that share a GPU; none: nobody said it, and each GPU is one slot
    Binding bind = Binding::automatic;  ///< whether workers are bound to cores
    std::optional<std::chrono::seconds> time_budget;
    std::optional<std::chrono::seconds> trial_time;  ///< wall time for which a trial may hold slots, over all sessions
    std::optional<Json> trainer;                      ///< the section `trainer`, an object that is not interpreted here
    std::optional<std::vector<std::string>> command;  ///< command with macros; never together with `trainer`
    bool is_adapted_to_wandb = false;  ///< whether its words are others than the file's, and run the adapter of W&B
    GrowMode grow = GrowMode::none;    ///< of the program of `command`
    bool final_test = false;  ///< whether the program of `command` tests the best trial in the end
    Supervision supervision;                           ///< `report` and `hang_timeout`
    std::optional<Price> price;                        ///< what an hour costs; none: nobody said it
    Keep keep;                                         ///< what stays of trials that have ended
    Hooks hooks;                                       ///< what runs when a session ends
    simulator::SimulationSpec simulation;              ///< `simulate:`, or the defaults
    Entry entry;                                       ///< what a benchmark's entry says of the sweep
    std::vector<Remark> remarks;
    std::string program;                               ///< value of `${program}`; empty unless given
    std::string text;                                  ///< text of the whole file, byte for byte
    SourceMap source;                                  ///< positions of the keys, for messages

    /// Whether processes that stay from trial to trial train it, rather than one that is started for each.
    bool has_warm_trainers() const { return trainer || grow == GrowMode::in_place; }

    std::optional<double> time_budget_seconds() const {
        return time_budget ? std::optional(std::chrono::duration<double>(*time_budget).count()) : std::nullopt;
    }

    /// The slots that each node shall have.
    SlotPlan::Wishes wishes() const { return {slots, cpus_per_slot, bind, slots_per_gpu.value_or(1)}; }

    /// Whether its best trial is measured on test data in the end.
    bool has_final_test() const;
};

/// A sweep file that may have mistakes. The values of mistaken keys are their defaults, or missing.
struct SweepDraft {
    SweepFile file;
    Mistakes mistakes;
};

/// What a sweep file is read for. A sweep that goes on keeps the command by which it began, whatever its script imports
/// now.
enum class SweepStage { begins, goes_on };

/// Reads as much of a sweep file as possible. Throws InvalidInput if `text` is not YAML.
SweepDraft draft_sweep(const std::string& text, const std::filesystem::path& file,
                       const std::vector<Override>& overrides = {}, SweepStage stage = SweepStage::begins);

/// Reads a sweep file. `overrides` replace what the file has, one after the other. Throws InvalidInput with all
/// mistakes, each with file, line, column and key, the problem and the remedy.
SweepFile read_sweep_file(const std::filesystem::path& path, const std::vector<Override>& overrides = {},
                          SweepStage stage = SweepStage::begins);

/// Reads a sweep file from memory, as read_sweep_file() does. `file` is its name in messages.
SweepFile parse_sweep(const std::string& text, const std::filesystem::path& file,
                      const std::vector<Override>& overrides = {}, SweepStage stage = SweepStage::begins);

}  // namespace crescendo::launch
