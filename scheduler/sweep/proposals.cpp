#include "scheduler/sweep/proposals.hpp"

#include "core/check.hpp"
#include "core/draws.hpp"
#include "scheduler/space/completion.hpp"

namespace crescendo {
namespace {

/// Most attempts to draw an untried configuration. If all fail, few untried ones are left.
constexpr int most_attempts = 100;

/// If `config` was tried in a finite space, the first configuration from `draw` that was not. Nothing otherwise, or if
/// no attempt finds one. In an infinite space only models avoid what was tried: journals have their proposals, while a
/// replay draws again what was drawn at random.
template <class Draw>
std::optional<Config> instead_of(const Config& config, const Tried& tried, const Draw& draw) {
    for (int attempt = 0; tried.is_finite() && tried.repeats(config) && attempt < most_attempts; ++attempt) {
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

/// A point of the sweep file (`initial:`). Parameters that it leaves open get the values that the sampler would
/// propose.
Config Proposals::initial_config(TrialId trial) {
    const auto& given = initial_[static_cast<std::size_t>(trial.value)];
    const auto proposal = are_events_ ? std::nullopt : sampler_->propose(trial);
    auto config = complete(space_, given, proposal ? proposal->config : Config{},
                           draws(seed_, Purpose::configuration, trial));
    CRESCENDO_VALIDATE(config, "initial", "the values of point {} fit no draw of the other parameters; change them",
                       trial.value);
    const auto untried = instead_of(*config, tried_, [&](int attempt) {
        return complete(space_, given, {}, draws(seed_, Purpose::untried, trial, attempt)).value_or(*config);
    });
    return untried.value_or(*std::move(config));
}

/// The sampler's proposal. If that was tried, a random configuration that was not, if one is found.
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
