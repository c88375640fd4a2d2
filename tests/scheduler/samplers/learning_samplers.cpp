/// What holds for every sampler that learns.

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

namespace {

const std::vector<std::string> learning_samplers{"cmaes", "gp", "tpe"};

const SearchSpace& mixed_space() {
    static const SearchSpace space({{"kind", Categorical{{std::string("a"), std::string("b")}}},
                                    {"x", Uniform{-2, 2}},
                                    {"y", LogUniformValues{1e-6, 1}, "kind == 'a'"},
                                    {"n", IntUniform{1, 9}},
                                    {"q", QNormal{3, 2, 0.25}},
                                    {"b", Beta{2, 5}},
                                    {"w", Categorical{{1.0, 2.0, 3.0}, {0.2, 0, 0.8}}},
                                    {"constant", Constant{true}},
                                    derived_parameter("double", "2 * n")},
                                   {"x + n > 0"});
    return space;
}

double mixed_loss(const Config& config) { return std::abs(number_of(config, 1) - 0.5); }

}  // namespace

TEST_CASE("every proposal is a configuration of the space, and is reproducible") {
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        AnySampler sampler(learning_spec(name, mixed_space()));
        AnySampler again(learning_spec(name, mixed_space()));

        const auto configs = learn(sampler, 30, mixed_loss);

        for (const auto& config : configs) {
            REQUIRE(mixed_space().in_order(config) == config);
        }
        CHECK(learn(again, 30, mixed_loss) == configs);
        AnySampler copy = sampler;
        CHECK(copy->propose(TrialId{30})->config == sampler->propose(TrialId{30})->config);
        CHECK(sampler->propose(TrialId{30})->config == copy->propose(TrialId{30})->config);
    }
}

TEST_CASE("a sampler that only gets the trials proposes the same next, so a resumed sweep continues as before") {
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        AnySampler sampler(learning_spec(name, mixed_space()));
        const auto configs = learn(sampler, 50, mixed_loss);
        AnySampler told(learning_spec(name, mixed_space()));
        for (int id = 0; id < 50; ++id) {
            auto trial = started(id, configs[static_cast<std::size_t>(id)]);
            trial.is_proposed = true;
            told->tell(trial);
            told->tell(finished(trial, mixed_loss(trial.config)));
            told->tell(finished(trial, mixed_loss(trial.config)));
        }

        CHECK(told->propose(TrialId{50})->config == sampler->propose(TrialId{50})->config);
    }
}

TEST_CASE("a sampler says which configurations come from its model") {
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        AnySampler sampler(learning_spec(name, SearchSpace{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}}));

        CHECK(sampler->propose(TrialId{0})->origin == Origin::random);
        learn(sampler, 40, [](const Config& config) { return number_of(config, 0); });
        CHECK(sampler->propose(TrialId{40})->origin == Origin::model);
    }
}

TEST_CASE("a sampler that learns survives losses without information") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        for (const double loss : {nan, std::numeric_limits<double>::infinity(), 1.0, -1e300, 1e300}) {
            AnySampler sampler(learning_spec(name, mixed_space()));
            const auto configs = learn(sampler, 20, [&](const Config&) { return loss; });
            CHECK(configs.back() != configs.front());
        }
        AnySampler sampler(learning_spec(name, mixed_space()));
        int count = 0;
        const auto configs = learn(sampler, 30, [&](const Config& config) {
            return ++count % 3 == 0 ? nan : count % 3 == 1 ? 1e300 : mixed_loss(config);
        });
        CHECK(configs.size() == 30);
    }
}

TEST_CASE("proposals differ and cover the space if all losses are equal") {
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        AnySampler sampler(learning_spec(name, mixed_space()));

        const auto configs = learn(sampler, 40, [](const Config&) { return 0.5; });

        std::set<Config> learnt;
        std::set<double> xs;
        for (std::size_t i = 10; i < configs.size(); ++i) {  // the sampler learns nothing before
            REQUIRE(mixed_space().in_order(configs[i]) == configs[i]);
            learnt.insert(configs[i]);
            xs.insert(number_of(configs[i], 1));
        }
        CHECK(learnt.size() == 30);
        CHECK(*xs.rbegin() - *xs.begin() > 2);  // half of the range
    }
}

TEST_CASE("a tried configuration can be enqueued again, but a sampler proposes each configuration only once") {
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        auto spec = spec_of(SchedulerKind::fifo, /*run_cap=*/18, /*max=*/1);
        spec.space = SearchSpace{{{"n", IntUniform{0, 19}}}};
        spec.sampler = name;
        Script script(spec);
        script.join(1);
        std::set<double> numbers;
        for (int id = 0; script.sweep.state() == SweepState::running; ++id) {
            while (const auto proposed = script.sweep.propose()) {
                script.apply(*proposed);
            }
            const double n = number_of(script.trial(id).config, 0);
            CHECK(numbers.insert(n).second == (id != 14));
            if (id == 13) {
                script.apply(TrialProposed{TrialId{14}, script.trial(12).config});
            }
            script.report(id, 1, std::abs(n - 7));
        }

        CHECK(script.trial(14).config == script.trial(12).config);
        CHECK(numbers.size() == 17);
    }
}

TEST_CASE("samplers handle a category of 10,000 values, a category of one, and a space without variables") {
    std::vector<Value> many;
    for (int i = 0; i < 10'000; ++i) {
        many.push_back("value " + std::to_string(i));
    }
    const SearchSpace wide{{{"x", Uniform{0, 1}}, {"c", Categorical{many}}}};
    const SearchSpace narrow{{{"c", Categorical{{1.0}}}, {"n", IntUniform{3, 3}}, {"x", Uniform{0, 1}}}};
    const SearchSpace fixed{{{"c", Constant{1.0}}}};
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        AnySampler sampler(learning_spec(name, wide));
        const auto configs = learn(sampler, 16, [](const Config& config) { return number_of(config, 0); });
        CHECK(configs.size() == 16);
        AnySampler few(learning_spec(name, narrow));
        CHECK(learn(few, 30, [](const Config& config) { return number_of(config, 2); }).size() == 30);
        AnySampler one(learning_spec(name, fixed));
        CHECK(learn(one, 30, [](const Config&) { return 0.0; }).back() == Config{{"c", 1.0}});
    }
}

TEST_CASE("foreign values and failed trials do not confuse a sampler") {
    for (const auto& name : learning_samplers) {
        CAPTURE(name);
        AnySampler sampler(learning_spec(name, SearchSpace{{{"x", Uniform{0, 1}}, {"n", IntUniform{0, 9}}}}));
        for (int id = 0; id < 40; ++id) {
            auto trial = started(id, {{"x", id - 20.0}, {"n", std::string("none")}});
            sampler->tell(trial);
            trial.status = TrialStatus::failed;
            trial.reason = StopReason::failed;
            sampler->tell(id % 2 == 0 ? trial : finished(trial, 0.1 * id));
        }

        const auto config = sampler->propose(TrialId{40})->config;
        CHECK(number_of(config, 0) >= 0);
        CHECK(number_of(config, 0) < 1);
    }
}

TEST_CASE("a sweep with any scheduler and any sampler that learns runs to its end") {
    for (const auto& name : learning_samplers) {
        for (const auto kind :
             {SchedulerKind::fifo, SchedulerKind::asha, SchedulerKind::rasda, SchedulerKind::successive_halving,
              SchedulerKind::hyperband, SchedulerKind::async_hyperband, SchedulerKind::pasha, SchedulerKind::median}) {
            CAPTURE(name);
            CAPTURE(scheduler_kinds.of(kind));
            auto spec = spec_of(kind, /*run_cap=*/30, /*max=*/4);
            spec.space = mixed_space();
            spec.sampler = name;
            Script script(spec);
            script.join(8);
            CounterRandom random(/*seed=*/3, /*stream=*/0);
            while (script.sweep.state() == SweepState::running) {
                while (const auto proposed = script.sweep.propose()) {
                    script.apply(*proposed);
                }
                const auto id = static_cast<int>(random.below(script.sweep.trials().size()));
                const auto& trial = script.trial(id);
                if (trial.status == TrialStatus::running) {
                    random.below(30) == 0
                        ? script.fail(id)
                        : script.report(id, static_cast<int>(trial.resource.value) + 1, mixed_loss(trial.config));
                }
            }
            CHECK(script.sweep.trials().size() == 30);
        }
    }
}

TEST_CASE("models propose no tried configuration of multiples of q in infinite ranges") {
    const SearchSpace space{{{"x", QNormal{50, 10, 5}}, {"y", QLogNormal{2, 1, 1}}}};
    const auto loss = [](const Config& config) {
        return std::pow(number_of(config, 0) - 65, 2) + std::pow(number_of(config, 1) - 9, 2);
    };
    for (const auto& name : learning_samplers) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            AnySampler sampler(learning_spec(name, space, seed));
            std::set<Config> seen;
            for (int id = 0; id < 60; ++id) {
                const auto proposal = sampler->propose(TrialId{id}).value();
                const auto trial = started(id, proposal.config);
                CHECK((proposal.origin != Origin::model || !seen.contains(trial.config)));
                seen.insert(trial.config);
                sampler->tell(trial);
                sampler->tell(finished(trial, loss(trial.config)));
            }
        }
    }
}
