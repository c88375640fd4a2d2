#include "launch/trainers/trial_work.hpp"

#include "core/draws.hpp"
#include "core/setting_path.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/sweep_file/command/command_macros.hpp"
#include "launch/sweep_file/command/nested_config.hpp"

namespace crescendo::launch {
namespace {

/// A seed of 31 bits, which every program's generator accepts.
std::uint64_t trial_seed(std::uint64_t sweep_seed, TrialId trial) {
    return draws(sweep_seed, Purpose::training, trial).next() >> 33;
}

/// The facts about a trial that a command may refer to.
std::map<std::string, std::string> facts_of(const protocol::Join& join, const Group& group) {
    std::map<std::string, std::string> facts{{"trial", std::to_string(join.trial.value)},
                                             {"trial_dir", join.directory},
                                             {"seed", std::to_string(join.seed)},
                                             {"slots", std::to_string(group.slots.size())}};
    if (join.max_resource < unlimited_resource) {
        facts["max_resource"] = std::to_string(join.max_resource.value);
    }
    return facts;
}

}  // namespace

JoinGroup work_of(TrialId trial, const Sweep& sweep, const SweepFile& file, const SweepDirectory& directory) {
    const auto config = with_whole_numbers(sweep.trial(trial).config, file.spec.space);
    JoinGroup work;
    work.join.trial = trial;
    work.join.seed = trial_seed(file.spec.seed, trial);
    work.join.sweep_seed = file.spec.seed;
    work.join.directory = std::filesystem::absolute(directory.trial(trial)).string();
    work.join.max_resource = file.spec.scheduler.max;
    if (file.has_warm_trainers()) {
        Json settings = file.trainer.value_or(Json::object());
        for (const auto& [name, value] : config) {
            set_at(settings, name, launch::to_json(value));
        }
        work.join.settings.text = settings.dump();
    } else {
        work.command = expand_command(
            *file.command, {file.program, nested(config, file.groups), facts_of(work.join, sweep.trial(trial).group)});
    }
    return work;
}

protocol::Evaluate evaluation_of(TrialId trial, const std::string& data, const Sweep& sweep, const SweepFile& file,
                                 const SweepDirectory& directory) {
    const auto join = work_of(trial, sweep, file, directory).join;
    return {trial,
            join.settings,
            sweep.trial(trial).resource,
            std::filesystem::absolute(directory.checkpoint(trial)).string(),
            data,
            join.seed};
}

}  // namespace crescendo::launch
