#include "launch/sampling/sampler_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"
#include "launch/sampling/plugin_host.hpp"

namespace crescendo::launch {
namespace {

/// A program need not know the constraints, but it should find allowed configurations.
constexpr int most_refusals_in_a_row = 1000;

SupervisedSettings settings_of(const SweepFile& file, SourceSettings source) {
    const auto& sampler = *file.sampler;
    const bool is_plugin = !sampler.plugin.empty();
    return {is_plugin ? plugin_name(file, PluginPlace::sampler)
                      : fmt::format("the sampler `{}`", fmt::join(sampler.words, " ")),
            is_plugin ? plugin_command(file, PluginPlace::sampler) : sampler.words, sampler.deadline,
            std::move(source)};
}

}  // namespace

SamplerProgram::SamplerProgram(const SweepFile& file, SourceSettings settings)
    : command_(*file.sampler),
      begin_(begin_message(file, command_.options)),
      random_(file.spec.space, file.spec.seed),
      program_(settings_of(file, std::move(settings))) {}

std::optional<Event> SamplerProgram::next(Sweep& sweep) {
    if (sweep.state() != SweepState::running) {
        if (program_.is_running()) {
            tell(sweep, sweep.take_news());  // how the last trials ended
        }
        return {};
    }
    try {
        talk(sweep);
    } catch (const std::exception& error) {
        fail(error.what(), sweep);
    }
    const auto trial = sweep.awaited_proposal();
    return trial ? proposal_for(*trial, sweep) : std::nullopt;
}

/// Sends news, takes answers, and asks for more.
void SamplerProgram::talk(Sweep& sweep) {
    const auto news = sweep.take_news();
    if (program_.is_given_up()) {
        return;
    }
    if (!program_.is_running()) {
        start(sweep);
    } else {
        tell(sweep, news);
    }
    program_.receive([&](const std::string& line) { return take(line, sweep); });
    ask(sweep);
}

/// A new process knows nothing, so it receives all trials. Proposals of an earlier process are used, but have no
/// number.
void SamplerProgram::start(const Sweep& sweep) {
    program_.start();
    proposals_.clear();
    for (auto& prepared : prepared_) {
        prepared.proposal.reset();
    }
    program_.tell(begin_);
    std::set<TrialId> all;
    for (const auto& candidate : sweep.candidates()) {
        all.insert(candidate.id);
    }
    tell(sweep, all);
}

void SamplerProgram::tell(const Sweep& sweep, const std::set<TrialId>& news) {
    for (const auto id : news) {
        const auto& trial = sweep.candidates()[static_cast<std::size_t>(id.value)];
        const auto proposal = proposals_.find(id);
        program_.tell(tell_message(trial, sweep.spec().goal,
                                   proposal == proposals_.end() ? std::nullopt : std::optional(proposal->second)));
        if (trial.ended()) {
            proposals_.erase(id);
        }
    }
    waits_for_news_ = waits_for_news_ && news.empty();
}

void SamplerProgram::ask(const Sweep& sweep) {
    if (is_done_ || waits_for_news_) {
        return;
    }
    const auto& spec = sweep.spec();
    const auto num_trials = static_cast<std::int32_t>(sweep.candidates().size());
    const int awaited = sweep.awaited_proposal() ? 1 : 0;
    int wanted = std::max(command_.ahead, awaited);
    if (spec.run_cap) {
        wanted = std::min(wanted, *spec.run_cap - num_trials);
    }
    while (static_cast<int>(prepared_.size()) + program_.num_asked() < wanted) {
        const int proposal = next_proposal_++;
        // Sessions all count their proposals from 0; the number of trials makes their draws differ.
        const auto random = draws(spec.seed, Purpose::configuration, TrialId{num_trials}, proposal);
        program_.ask(propose_message(proposal, spec.space.sample(random)));
    }
}

/// Returns whether the answer is useful.
bool SamplerProgram::take(const std::string& line, const Sweep& sweep) {
    const int proposal = next_proposal_ - program_.num_asked();
    const auto answer = answer_from(line, proposal, sweep.spec().space);
    if (!answer.refusal.empty()) {
        if (++refusals_in_a_row_ >= most_refusals_in_a_row) {
            throw std::runtime_error(fmt::format("{} consecutive proposals were refused, the last because {}",
                                                 refusals_in_a_row_, answer.refusal));
        }
        program_.tell(refused_message(proposal, answer.refusal));
        return false;
    }
    refusals_in_a_row_ = 0;
    if (answer.config) {
        look_for_repeat(*answer.config, sweep);
        prepared_.push_back({proposal, *answer.config});
    }
    if (answer.is_done) {
        is_done_ = true;
        program_.dismiss();
    }
    waits_for_news_ = waits_for_news_ || (!answer.config && !answer.is_done);
    return true;
}

/// Remarks on a sampler that is stuck, or draws the same numbers in each session, and so trains known configurations
/// again.
void SamplerProgram::look_for_repeat(const Config& config, const Sweep& sweep) {
    constexpr int many = 3;
    const auto& trials = sweep.candidates();
    if (num_repeats_ < many && std::ranges::find(trials, config, &Trial::config) != trials.end() &&
        ++num_repeats_ == many) {
        program_.note(
            fmt::format("has proposed {} configurations that trials already have: it may have settled on its best, or "
                        "draw from the seed alone, which is the same in each session; start from `draw`, or skip the "
                        "configurations that `tell` gives",
                        many));
    }
}

/// Keeps the earlier proposals, which were valid.
void SamplerProgram::fail(const std::string& what, const Sweep& sweep) {
    refusals_in_a_row_ = 0;
    waits_for_news_ = false;
    const bool is_first_trial = sweep.candidates().empty() && prepared_.empty();
    program_.fail(what, is_first_trial ? "no trial is started" : "configurations are drawn at random from now on");
    if (is_first_trial && program_.is_given_up()) {
        throw InvalidInput("the sampler failed before it proposed anything; correct it, or remove `sampler`");
    }
}

std::optional<Event> SamplerProgram::proposal_for(TrialId trial, const Sweep& sweep) {
    const auto candidate = sweep.spec().repeat.configuration_of(trial);
    if (!prepared_.empty()) {
        auto [proposal, config] = std::move(prepared_.front());
        prepared_.pop_front();
        if (proposal) {
            proposals_[candidate] = *proposal;
        }
        return TrialProposed{trial, std::move(config), Origin::program};
    }
    if (program_.is_given_up()) {
        return TrialProposed{trial, random_.propose(candidate)->config, Origin::random};
    }
    const bool waits_in_vain = waits_for_news_ && sweep.has_come_to_rest();
    if (program_.num_asked() > 0 || !(is_done_ || waits_in_vain)) {
        return {};
    }
    // A program that forgot its `return` does this too, and the sweep would seem to end normally.
    const auto& cap = sweep.spec().run_cap;
    program_.note(fmt::format(
        "{}: the sweep ends with {}{} {}",
        is_done_ ? "reported that it is done" : "proposed nothing, although no running trial is left to wait for",
        sweep.candidates().size(), cap ? fmt::format(" of {}", *cap) : "",
        sweep.spec().repeat.is_on() ? "configurations" : "trials"));
    return ProposalsEnded{};
}

std::optional<Event> SamplerProgram::await_next(Sweep& sweep) {
    for (;;) {
        auto event = next(sweep);
        if (event) {
            return event;
        }
        if (!program_.is_running()) {
            if (program_.is_given_up() || !sweep.awaited_proposal()) {
                return {};
            }
            continue;  // the program is restarted
        }
        if (program_.num_asked() == 0) {
            return {};
        }
        program_.await_answer();
    }
}

/// While an answer is due, a slot is idle.
std::optional<std::chrono::milliseconds> SamplerProgram::patience() const {
    return prepared_.empty() ? program_.patience() : std::nullopt;
}

}  // namespace crescendo::launch
