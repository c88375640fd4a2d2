#include "launch/coordinator/trial_work.hpp"

#include "core/draws.hpp"
#include "launch/messages/value_json.hpp"
#include "launch/sweep_file/command_macros.hpp"

namespace crescendo::launch {
namespace {

/// 31 bits, which every program's generator takes.
std::uint64_t trial_seed(std::uint64_t sweep_seed, TrialId trial) {
    return draws(sweep_seed, Purpose::training, trial).next() >> 33;
}

}  // namespace

JoinGroup work_of(TrialId trial, const Sweep& sweep, const SweepFile& file, const SweepDirectory& directory) {
    const auto& config = sweep.trial(trial).config;
    JoinGroup work;
    work.join.trial = trial;
    work.join.seed = trial_seed(file.spec.seed, trial);
    work.join.directory = std::filesystem::absolute(directory.trial(trial)).string();
    work.join.max_resource = file.spec.scheduler.max;
    if (file.has_warm_trainers()) {
        Json settings = file.trainer.value_or(Json::object());
        for (const auto& [name, value] : config) {
            settings[name] = launch::to_json(value);
        }
        work.join.settings.text = settings.dump();
    } else {
        work.command = expand_command(*file.command, file.program, config);
    }
    return work;
}

protocol::Evaluate evaluation_of(TrialId trial, const std::string& data, const Sweep& sweep, const SweepFile& file,
                                 const SweepDirectory& directory) {
    return {trial, work_of(trial, sweep, file, directory).join.settings, sweep.trial(trial).resource,
            std::filesystem::absolute(directory.checkpoint(trial)).string(), data};
}

}  // namespace crescendo::launch
