#include <doctest/doctest.h>

#include "core/check.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec searching() {
    auto spec = spec_of(/*run_cap=*/3, /*max=*/2);
    spec.space = SearchSpace({{"x", Uniform{0, 1}}, {"layers", IntUniform{1, 9}}});
    return spec;
}

const Config given{{"x", 7.0}, {"layers", std::int64_t{70}}};

}  // namespace

TEST_CASE("the configuration that a trial was started with counts, whatever the seed would draw") {
    Script script{searching()};
    script.join(1);

    CHECK(script.apply(TrialProposed{TrialId{0}, given}) == "");

    CHECK(script.trial(0).config == given);
    CHECK(script.trial(0).is_proposed);
}

TEST_CASE("a configuration that is proposed before its trial starts is used in place of a random one") {
    Script script{searching()};
    script.apply(TrialProposed{TrialId{1}, given});
    script.join(2);

    CHECK(script.trial(0).config == RandomSampler(searching().space, 0).propose(TrialId{0})->config);
    CHECK_FALSE(script.trial(0).is_proposed);
    CHECK(script.trial(1).config == given);
    CHECK(script.trial(1).is_proposed);
}

TEST_CASE("a trial's first proposal counts") {
    Script script{searching()};
    script.join(1);
    script.apply(TrialProposed{TrialId{0}, given});
    script.apply(TrialProposed{TrialId{0}, {{"x", 8.0}, {"layers", std::int64_t{80}}}});

    CHECK(script.trial(0).config == given);
}

TEST_CASE("values may come in any order, as from a JSON object") {
    Script script{searching()};
    script.apply(TrialProposed{TrialId{0}, {{"layers", std::int64_t{70}}, {"x", 7.0}}});
    script.join(1);

    CHECK(script.trial(0).config == given);
}

TEST_CASE("a configuration with a missing or an extra parameter is refused") {
    Script script{searching()};

    CHECK_THROWS_WITH_AS(script.apply(TrialProposed{TrialId{0}, {{"x", 7.0}}}),
                         doctest::Contains("lacks the parameter layers"), InvalidInput);
    auto config = given;
    config.emplace_back("y", 1.0);
    CHECK_THROWS_WITH_AS(script.apply(TrialProposed{TrialId{0}, config}), doctest::Contains("has 'y'"), InvalidInput);
    CHECK_THROWS_AS(script.apply(TrialProposed{TrialId{-1}, given}), InvalidInput);
}
