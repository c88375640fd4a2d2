#include "launch/sampling/stop_rule_program.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "launch/sampling/plugin_host.hpp"
#include "launch/sampling/sampler_messages.hpp"

namespace crescendo::launch {

StopRuleProgram::StopRuleProgram(const SweepFile& file, SourceSettings settings,
                                 std::unique_ptr<ProposalSource> sampler)
    : begin_(begin_message(file, file.stop_rule->options)),
      program_({plugin_name(file, PluginPlace::stop_rule), plugin_command(file, PluginPlace::stop_rule),
                file.stop_rule->deadline, std::move(settings)}),
      sampler_(std::move(sampler)) {}

std::optional<Event> StopRuleProgram::next(Sweep& sweep) {
    if (auto stop = next_stop(sweep)) {
        return stop;
    }
    return sampler_->next(sweep);
}

std::optional<Event> StopRuleProgram::await_next(Sweep& sweep) {
    for (;;) {
        if (auto stop = next_stop(sweep)) {
            return stop;
        }
        if (program_.is_running() && program_.num_asked() > 0) {
            program_.await_answer();
        } else if (program_.is_running() || program_.is_given_up() || sweep.state() != SweepState::running) {
            return sampler_->await_next(sweep);
        }  // else it is started again
    }
}

std::optional<std::chrono::milliseconds> StopRuleProgram::patience() const {
    const auto own = program_.patience();
    const auto of_sampler = sampler_->patience();
    return own && of_sampler ? std::min(own, of_sampler) : own ? own : of_sampler;
}

std::optional<Event> StopRuleProgram::next_stop(Sweep& sweep) {
    if (sweep.state() != SweepState::running || program_.is_given_up()) {
        return {};
    }
    try {
        talk(sweep);
    } catch (const std::exception& error) {
        program_.fail(error.what(), "it ends no more trials from now on");
    }
    while (!stopped_.empty()) {
        const auto trial = stopped_.front();
        stopped_.pop_front();
        if (!sweep.trial(trial).ended()) {
            return TrialStopped{trial};
        }
    }
    return {};
}

/// Takes answers, sends news, and asks about new reports.
void StopRuleProgram::talk(Sweep& sweep) {
    auto news = sweep.take_changes();
    if (!program_.is_running()) {
        told_.clear();
        asked_.clear();
        program_.start();
        program_.tell(begin_);
        for (const auto& trial : sweep.trials()) {
            news.insert(trial.id);
        }
    }
    program_.receive([this](const std::string& line) {
        const bool stops = stop_from(line);
        const auto [trial, resource] = asked_.front();
        asked_.pop_front();
        judged_[trial] = resource;
        if (stops) {
            stopped_.push_back(trial);
        }
        return true;
    });
    send_news(sweep, news);
}

void StopRuleProgram::send_news(const Sweep& sweep, const std::set<TrialId>& news) {
    std::vector<const Trial*> to_judge;
    for (const auto id : news) {
        const auto& trial = sweep.trial(id);
        const auto told = told_.find(trial.id);
        if (told != told_.end() && told->second.status == trial.status && told->second.resource == trial.resource) {
            continue;
        }
        told_[trial.id] = {trial.status, trial.resource};
        if (is_to_judge(trial)) {
            to_judge.push_back(&trial);  // after it has received the others
        } else {
            program_.tell(tell_message(trial, sweep.spec().goal, {}));
        }
    }
    for (const auto* trial : to_judge) {
        asked_.push_back({trial->id, trial->resource});
        program_.ask(judge_message(*trial, sweep.spec().goal));
    }
}

bool StopRuleProgram::is_to_judge(const Trial& trial) const {
    if (trial.ended() || !trial.loss) {
        return false;
    }
    const auto judged = judged_.find(trial.id);
    const bool was_judged = judged != judged_.end() && judged->second >= trial.resource;
    const bool is_asked = std::ranges::any_of(asked_, [&](const Judgement& each) {
        return each.trial == trial.id && each.resource >= trial.resource;
    });
    return !was_judged && !is_asked;
}

}  // namespace crescendo::launch
