#include "scheduler/sweep/proposals.hpp"

#include "core/check.hpp"
#include "core/draws.hpp"
#include "scheduler/space/completion.hpp"

namespace crescendo {
namespace {

/// How often something untried is looked for. Where this is too seldom, little is left that is untried.
constexpr int most_attempts = 100;

/// If `config` was tried, the first of what `draw` gives that was not. Nothing if there is no need, or no such one.
template <class Draw>
std::optional<Config> instead_of(const Config& config, const Tried& tried, const Draw& draw) {
    for (int attempt = 0; tried.repeats(config) && attempt < most_attempts; ++attempt) {
        auto other = draw(attempt);
        if (!tried.repeats(other)) {
            return other;
        }
    }
    return {};
}

}  // namespace

bool Proposals::configure(Trial& trial) {
    if (auto recorded = from_events_.extract(trial.id)) {
        trial.config = std::move(recorded.mapped().config);
        trial.origin = recorded.mapped().origin;
        trial.is_proposed = true;
        return true;
    }
    if (is_initial(trial.id)) {
        trial.config = initial_config(trial.id);
        trial.origin = Origin::initial;
        return true;
    }
    if (are_events_) {
        awaited_ = trial.id;
        return false;
    }
    if (auto proposal = ask(trial.id)) {
        trial.config = std::move(proposal->config);
        trial.origin = proposal->origin;
        return true;
    }
    sampler_has_nothing_ = true;
    return false;
}

std::optional<Proposal> Proposals::propose() { return awaited_ ? ask(*awaited_) : std::nullopt; }

/// A point of the sweep file. Where that leaves parameters open, they are what the sampler would propose.
Config Proposals::initial_config(TrialId trial) {
    const auto& given = initial_[static_cast<std::size_t>(trial.value)];
    const auto proposal = are_events_ ? std::nullopt : sampler_->propose(trial);
    auto config = complete(space_, given, proposal ? proposal->config : Config{},
                           draws(seed_, Purpose::configuration, trial));
    CRESCENDO_VALIDATE(config, "initial", "the values of point {} hold in no draw of the other parameters; change them",
                       trial.value);
    const auto untried = instead_of(*config, tried_, [&](int attempt) {
        return complete(space_, given, {}, draws(seed_, Purpose::untried, trial, attempt)).value_or(*config);
    });
    return untried.value_or(*std::move(config));
}

/// What the sampler proposes. If that was tried, something random that was not, if there is.
std::optional<Proposal> Proposals::ask(TrialId trial) {
    auto proposal = sampler_->propose(trial);
    if (proposal) {
        const auto draw = [&](int attempt) { return space_.sample(draws(seed_, Purpose::untried, trial, attempt)); };
        if (auto untried = instead_of(proposal->config, tried_, draw)) {
            return Proposal{*std::move(untried)};
        }
    }
    return proposal;
}

}  // namespace crescendo
