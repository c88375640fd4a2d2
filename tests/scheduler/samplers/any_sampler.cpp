#include "scheduler/samplers/any_sampler.hpp"

#include <doctest/doctest.h>

#include <set>

#include "core/check.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/scheduler/samplers/learning.hpp"
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

TEST_CASE("models do not repeat the best configuration if it has no continuous number") {
    const SearchSpace space({{"kind", Categorical{{"linear", "net"}}},
                             {"depth", IntUniform{1, 4}},
                             {"lr", Uniform{0, 1}, "kind == \"net\""}});
    const auto loss = [](const Config& config) { return config.size() == 2 ? 0.1 * number_of(config, 1) : 1.0; };
    for (const char* kind : {"tpe", "cmaes", "gp"}) {
        CAPTURE(kind);
        AnySampler sampler(learning_spec(kind, space));
        std::set<Config> begun;
        int num_of_model = 0;
        for (int id = 0; id < 60; ++id) {
            const auto [config, origin] = sampler->propose(TrialId{id}).value();
            const bool is_new = begun.insert(config).second;
            CHECK((is_new || origin != Origin::model));
            num_of_model += origin == Origin::model;
            sampler->tell(started(id, config));
            sampler->tell(finished(started(id, config), loss(config)));
        }
        CHECK(num_of_model > 20);
    }
}
