#include "launch/json/action_json.hpp"

#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"

namespace crescendo::launch {
namespace {

struct WriteAction {
    const Sweep& sweep;

    OrderedJson operator()(const StartTrial& action) const { return with_config("start_trial", action); }
    OrderedJson operator()(const ResumeTrial& action) const { return with_config("resume_trial", action); }
    OrderedJson operator()(const Regroup& action) const { return with_group("regroup", action); }
    OrderedJson operator()(const PauseTrial& action) const {
        return {{"action", "pause_trial"}, {"trial", action.trial.value}};
    }
    OrderedJson operator()(const StopTrial& action) const {
        return {{"action", "stop_trial"}, {"trial", action.trial.value}, {"reason", stop_reasons.of(action.reason)}};
    }
    OrderedJson operator()(const DropCheckpoint& action) const {
        return {{"action", "drop_checkpoint"}, {"trial", action.trial.value}};
    }
    OrderedJson operator()(const FinishSweep& action) const {
        return {{"action", "finish_sweep"}, {"reason", finish_reasons.of(action.reason)}, {"best", best(action.best)}};
    }

    static OrderedJson with_group(const char* name, const auto& action) {
        OrderedJson json{{"action", name},
                         {"trial", action.trial.value},
                         {"slots", action.group.slots},
                         {"generation", action.group.generation},
                         {"batch_multiple", action.group.batch.multiple}};
        if (action.group.batch.accumulation > 1) {
            json["accumulation"] = action.group.batch.accumulation;
        }
        return json;
    }

    OrderedJson with_config(const char* name, const auto& action) const {
        auto json = with_group(name, action);
        json["config"] = told(sweep.trial(action.trial));
        return json;
    }

    OrderedJson told(const Trial& trial) const {
        return launch::to_json(with_whole_numbers(trial.config, sweep.spec().space));
    }

    OrderedJson best(std::optional<TrialId> id) const {
        if (!id) {
            return nullptr;
        }
        const auto& trial = sweep.trial(*id);
        const auto& spec = sweep.spec();
        return {{"trial", id->value},
                {"resource", trial.resource.value},
                {"metrics", {{spec.metric, from_loss(spec.goal, *trial.loss)}}},
                {"config", told(trial)}};
    }
};

}  // namespace

OrderedJson to_json(const Action& action, const Sweep& sweep) { return std::visit(WriteAction{sweep}, action); }

}  // namespace crescendo::launch
