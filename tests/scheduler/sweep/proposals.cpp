#include "scheduler/sweep/proposals.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

using namespace crescendo;

namespace {

Config x_is(std::int64_t x) { return {{"x", x}}; }

/// Proposes one configuration each time it is told of a trial.
class EchoSampler : public Sampler {
  public:
    std::optional<Proposal> propose(TrialId) override {
        return num_told_ > 0 && num_told_-- > 0 ? std::optional(Proposal{x_is(7)}) : std::nullopt;
    }
    void tell(const Trial&) override { ++num_told_; }
    std::unique_ptr<Sampler> clone() const override { return std::make_unique<EchoSampler>(*this); }

  private:
    int num_told_ = 0;
};

Proposals proposals(std::vector<Config> initial = {}) {
    SweepSpec spec;
    spec.space = SearchSpace({{"x", IntUniform{0, 1'000'000}}});
    spec.initial = std::move(initial);
    return {spec, AnySampler(std::make_unique<EchoSampler>())};
}

Trial trial(int id) {
    Trial trial;
    trial.id = TrialId{id};
    return trial;
}

}  // namespace

TEST_CASE("the search for the first trial without a proposal skips trials that have one") {
    auto source = proposals();
    CHECK(source.first_without(TrialId{3}) == TrialId{3});

    for (const int id : {3, 4, 6}) {
        source.add(TrialId{id}, {});
    }

    CHECK(source.first_without(TrialId{3}) == TrialId{5});
}

TEST_CASE("the first trials get the initial points, not points from the sampler") {
    auto source = proposals({x_is(5), x_is(6)});
    auto next = trial(1);

    CHECK(source.configure(next));

    CHECK(next.config == x_is(6));
    CHECK(next.origin == Origin::initial);
    CHECK_FALSE(next.is_proposed);
    CHECK(source.first_without(TrialId{0}) == TrialId{2});
}

TEST_CASE("an untried configuration replaces one that was tried") {
    auto source = proposals();
    auto told = trial(3);
    told.config = x_is(7);
    source.tell(told);
    auto next = trial(4);

    CHECK(source.configure(next));

    CHECK(next.config.size() == 1);
    CHECK(next.config != x_is(7));
}

TEST_CASE("a trial gets the first proposal that an event made for it, and the sampler is not asked") {
    auto source = proposals();
    source.add(TrialId{1}, {x_is(1), Origin::enqueued});
    source.add(TrialId{1}, {x_is(2)});
    auto next = trial(1);

    CHECK(source.configure(next));

    CHECK(next.config == x_is(1));
    CHECK(next.is_proposed);
    CHECK(next.origin == Origin::enqueued);
    CHECK_FALSE(source.are_exhausted(TrialId{2}));
}

TEST_CASE("a sampler without proposals counts as exhausted until it is asked again") {
    auto source = proposals();
    auto next = trial(0);
    CHECK_FALSE(source.configure(next));
    CHECK(source.are_exhausted(TrialId{0}));

    source.tell(trial(3));
    source.ask_again();

    CHECK_FALSE(source.are_exhausted(TrialId{0}));
    CHECK(source.configure(next));
    CHECK(next.config == x_is(7));
    CHECK_FALSE(next.is_proposed);
}

TEST_CASE("after the end of proposals, only the proposals of events are left") {
    auto source = proposals();
    source.tell(trial(3));
    source.add(TrialId{1}, {x_is(1)});

    source.end();

    CHECK(source.are_exhausted(TrialId{0}));
    CHECK_FALSE(source.are_exhausted(TrialId{1}));
    source.begin_again();
    CHECK_FALSE(source.are_exhausted(TrialId{0}));
}
