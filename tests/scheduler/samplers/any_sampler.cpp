#include "scheduler/samplers/any_sampler.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("each name selects a sampler, and random draws from the seed") {
    auto spec = spec_of(/*run_cap=*/1, /*max=*/1);
    spec.space = SearchSpace({{"x", IntUniform{0, 999}}});
    spec.seed = 9;
    for (const auto& name : sampler_names()) {
        spec.sampler = name;
        AnySampler sampler(spec);
        CHECK(sampler->propose(TrialId{0}).has_value() == (name != "program"));
    }
    spec.sampler = "random";

    CHECK(AnySampler { spec } -> propose(TrialId{3})->config ==
          RandomSampler(spec.space, 9).propose(TrialId{3})->config);
}

TEST_CASE("an unknown sampler is refused") {
    auto spec = spec_of(1, 1);
    spec.sampler = "psychic";

    CHECK_THROWS_WITH_AS(Sweep{spec}, doctest::Contains("'psychic' is not a sampler"), InvalidInput);
}
