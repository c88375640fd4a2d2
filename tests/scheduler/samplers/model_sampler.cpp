#include "scheduler/samplers/model_sampler.hpp"

#include <doctest/doctest.h>

#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

namespace {

/// Learns once it has three results. Its model finds 0.5, and every fourth trial explores.
class Halves : public ModelSampler {
  public:
    explicit Halves(const SweepSpec& spec) : ModelSampler(spec, /*enough=*/3) {}

    std::unique_ptr<Sampler> clone() const override { return std::make_unique<Halves>(*this); }

    std::optional<Config> found = Config{{"x", 0.5}};
    bool has_gathered = false;

  private:
    std::optional<TrialId> explored_by(TrialId trial) const override {
        return trial.value % 4 == 3 ? std::optional(TrialId{trial.value / 4}) : std::nullopt;
    }
    std::optional<Config> by_model(const Results&, const Results::Ranking&, TrialId) override { return found; }
    bool is_second_due(const Results&, const Results::Ranking&) const override { return has_gathered; }
};

const SearchSpace& line() {
    static const SearchSpace space{{{"x", Uniform{0, 1}}}};
    return space;
}

/// Its proposals for the trials from `first` on, each of which ends before the next one.
std::vector<Proposal> run(ModelSampler& sampler, int first, int count) {
    std::vector<Proposal> proposals;
    for (int id = first; id < first + count; ++id) {
        proposals.push_back(sampler.propose(TrialId{id}).value());
        const auto trial = started(id, proposals.back().config);
        sampler.tell(trial);
        sampler.tell(finished(trial, 1));
    }
    return proposals;
}

std::vector<Origin> origins_of(const std::vector<Proposal>& proposals) {
    std::vector<Origin> origins;
    std::ranges::transform(proposals, std::back_inserter(origins), &Proposal::origin);
    return origins;
}

}  // namespace

TEST_CASE("a sampler with a model begins with Sobol's points until enough trials have results, and explores later") {
    const auto spec = learning_spec("gp", line());
    Halves sampler(spec);
    SobolSampler first(spec.space, spec.seed);
    auto explored = SobolSampler::further(spec.space, spec.seed, 0);

    const auto proposals = run(sampler, 0, 8);

    for (const int id : {0, 1, 2}) {
        CHECK(proposals.at(static_cast<std::size_t>(id)).config == first.propose(TrialId{id})->config);
    }
    using enum Origin;
    CHECK(origins_of(proposals) == std::vector{random, random, random, random, model, model, model, random});
    CHECK(proposals[3].config == explored.propose(TrialId{0})->config);
    CHECK(proposals[4].config == Config{{"x", 0.5}});
    CHECK(proposals[7].config == explored.propose(TrialId{1})->config);
}

TEST_CASE("if its model finds nothing, a sampler proposes the trial's point of the first sequence") {
    const auto spec = learning_spec("gp", line());
    Halves sampler(spec);
    run(sampler, 0, 4);
    sampler.found.reset();

    CHECK(sampler.propose(TrialId{4})->config == SobolSampler(spec.space, spec.seed).propose(TrialId{4})->config);
}

TEST_CASE("a second search begins when it is due and restarts when its own results say so, until trial 500") {
    Halves sampler(learning_spec("gp", line()));
    sampler.has_gathered = true;
    using enum Origin;

    // It begins with trial 3 and restarts with trial 9. Its own trials have even numbers.
    CHECK(origins_of(run(sampler, 0, 12)) ==
          std::vector{random, random, random, random, random, model, random, random, random, model, random, random});

    Halves late(learning_spec("gp", line()));
    run(late, 0, 500);
    late.has_gathered = true;
    CHECK(origins_of(run(late, 500, 3)) == std::vector{model, model, model});
}
