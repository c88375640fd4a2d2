#include "scheduler/samplers/tpe_sampler.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

TEST_CASE("tpe finds the minimum of a bowl far better than random draws") {
    const SearchSpace space{{{"x", Uniform{-1, 1}}, {"y", LogUniformValues{1e-4, 1}}, {"n", IntUniform{1, 100}}}};
    const auto loss = [](const Config& config) {
        return std::pow(number_of(config, 0) - 0.3, 2) + std::pow(std::log10(number_of(config, 1)) + 2, 2) / 4 +
               std::pow(number_of(config, 2) / 100 - 0.7, 2);
    };

    CHECK(mean_best("tpe", space, 60, 10, loss) < mean_best("random", space, 60, 10, loss) / 4);
}

TEST_CASE("tpe learns a category and the parameter that only this category has") {
    const SearchSpace space{{{"kind", Categorical{{1.0, 2.0, 3.0, 4.0, 5.0}}}, {"x", Uniform{0, 1}, "kind == 3"}}};
    const auto loss = [](const Config& config) {
        return number_of(config, 0) == 3 ? std::abs(number_of(config, 1) - 0.6) : 1;
    };
    AnySampler sampler(learning_spec("tpe", space));

    const auto configs = learn(sampler, 80, loss);

    const auto is_good = [&](const Config& config) { return loss(config) < 0.1; };
    CHECK(std::count_if(configs.end() - 20, configs.end(), is_good) >= 12);  // random: 1 in 25
}

TEST_CASE("tpe does not propose pending points again") {
    const SearchSpace space{{{"x", Uniform{0, 1}}}};
    AnySampler sampler(learning_spec("tpe", space));
    learn(sampler, 40, [](const Config& config) { return std::abs(number_of(config, 0) - 0.5); });
    AnySampler forgetful = sampler;
    std::vector<double> batch;
    std::vector<double> careless;
    for (int id = 40; id < 72; ++id) {
        const auto config = sampler->propose(TrialId{id}).value().config;
        sampler->tell(started(id, config));
        batch.push_back(number_of(config, 0));
        careless.push_back(number_of(forgetful->propose(TrialId{id})->config, 0));
    }

    const auto spread = [](std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return values[27] - values[4];
    };
    CHECK(spread(batch) > 2 * spread(careless));
}

TEST_CASE("tpe stays closer to the best trials if all parameters are numbers than if one is a category") {
    const auto mean_distance = [](const SearchSpace& space, const Config& rest) {
        AnySampler sampler(learning_spec("tpe", space));
        for (int id = 0; id < 40; ++id) {
            Config config{{"x", (id + 0.5) / 40}};
            config.insert(config.end(), rest.begin(), rest.end());
            sampler->tell(started(id, config));
            sampler->tell(finished(started(id, config), std::abs(number_of(config, 0) - 0.5)));
        }
        double sum = 0;
        for (int id = 40; id < 140; ++id) {
            sum += std::abs(number_of(sampler->propose(TrialId{id})->config, 0) - 0.5) / 100;
        }
        return sum;
    };

    const double of_numbers = mean_distance(SearchSpace{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}}, {{"y", 0.5}});
    const double with_choice =
        mean_distance(SearchSpace{{{"x", Uniform{0, 1}}, {"kind", Categorical{{1.0, 2.0}}}}}, {{"kind", 1.0}});
    CHECK(of_numbers < 0.85 * with_choice);
}

TEST_CASE("tpe learns from the highest rung with enough results") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
    spec.sampler = "tpe";
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    const auto mean_proposal = [&](int num_at_top) {
        AnySampler sampler(spec);
        for (int id = 0; id < 40; ++id) {  // at first the left is good, in the end the right
            auto trial = started(id, {{"x", (id + 0.5) / 40}});
            trial.resource = Resource{1};
            trial.loss = number_of(trial.config, 0);
            sampler->tell(trial);
            trial.resource = Resource{4};
            trial.loss = 1 - number_of(trial.config, 0);
            if (id % (40 / num_at_top) == 0) {
                sampler->tell(trial);
            }
        }
        double sum = 0;
        for (int id = 40; id < 80; ++id) {
            sum += number_of(sampler->propose(TrialId{id})->config, 0);
        }
        return sum / 40;
    };

    CHECK(mean_proposal(/*num_at_top=*/4) < 0.3);
    CHECK(mean_proposal(/*num_at_top=*/20) > 0.7);
}

TEST_CASE("tpe treats trials that are paused below the rung it learns from as bad, like lost ones") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/100, /*max=*/4, Mode::promote);
    spec.sampler = "tpe";
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    AnySampler sampler(spec);
    for (int id = 0; id < 80; ++id) {  // the right half was promoted, and its leftmost trials are best
        auto trial = started(id, {{"x", (id + 0.5) / 80}});
        sampler->tell(trial);
        trial.resource = Resource{id < 40 ? 1 : 4};
        trial.loss = std::abs(number_of(trial.config, 0) - 0.5);
        trial.status = id < 40 ? TrialStatus::paused : TrialStatus::finished;
        sampler->tell(trial);
    }

    for (int id = 80; id < 87; ++id) {
        CHECK(number_of(sampler->propose(TrialId{id})->config, 0) > 0.45);
    }
}

TEST_CASE("tpe finds the minimum of a bowl sooner with results of an earlier sweep, even if the spaces differ") {
    const Parameter x{"x", Uniform{-1, 1}};
    const Parameter y{"y", LogUniformValues{1e-4, 1}};
    const SearchSpace before{{x, y, {"old", Uniform{0, 1}}}};
    const SearchSpace now{{x, y, {"new", Uniform{0, 1}}}};
    const auto loss = [](const Config& config) {
        return std::pow(number_of(config, 0) - 0.3, 2) + std::pow(std::log10(number_of(config, 1)) + 2, 2);
    };
    double cold = 0;
    double warm = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        auto spec = learning_spec("tpe", now, seed);
        const auto best_of_ten = [&] {
            AnySampler sampler(spec);
            return loss(std::ranges::min(learn(sampler, 10, loss), {}, loss));
        };
        cold += best_of_ten();
        AnySampler earlier(learning_spec("tpe", before, seed + 100));
        for (const auto& config : learn(earlier, 60, loss)) {
            spec.warm_start.push_back({{config[0], config[1]}, {{Resource{1}, loss(config)}}, false, true});
        }
        warm += best_of_ten();
    }

    CHECK(warm < cold / 5);
}

TEST_CASE("tpe marks configurations that come only from results of earlier sweeps") {
    auto spec = learning_spec("tpe", SearchSpace{{{"x", Uniform{0, 1}}}});
    for (int i = 0; i < 20; ++i) {
        spec.warm_start.push_back({{{"x", i / 20.0}}, {{Resource{1}, i / 20.0}}, false, true});
    }
    AnySampler sampler(spec);

    CHECK(sampler->propose(TrialId{0})->origin == Origin::warm);
    learn(sampler, 1, [](const Config& config) { return number_of(config, 0); });
    CHECK(sampler->propose(TrialId{1})->origin == Origin::model);
}

TEST_CASE("tpe still learns after many trials, and proposals from one model differ") {
    const SearchSpace space{{{"x", Uniform{-1, 1}}, {"y", Uniform{-1, 1}}}};
    const auto loss = [](const Config& config) {
        return std::pow(number_of(config, 0) - 0.3, 2) + std::pow(number_of(config, 1) + 0.6, 2);
    };
    AnySampler sampler(learning_spec("tpe", space));

    const auto configs = learn(sampler, 1000, loss);

    std::set<double> losses;
    for (std::size_t id = 900; id < 1000; ++id) {
        losses.insert(loss(configs[id]));
    }
    REQUIRE(losses.size() == 100);
    CHECK(*std::next(losses.begin(), 50) < 0.05);  // the median of random points is 1
}

TEST_CASE("tpe continues the proposals from one model as before if it only got the trials") {
    const Parameter kind{"kind", Categorical{{1.0, 2.0}}};
    for (const auto& space : {SearchSpace{{{"x", Uniform{0, 50}}, {"n", IntUniform{0, 99}}, kind}},
                              SearchSpace{{{"m", IntUniform{0, 50}}, {"n", IntUniform{0, 50}}, kind}}}) {
        const auto loss = [](const Config& config) {
            return std::hypot(number_of(config, 0) - 25, number_of(config, 1) - 25);
        };
        AnySampler sampler(learning_spec("tpe", space));
        const auto configs = learn(sampler, 609, loss);  // the model is for trials 605 to 613
        AnySampler told(learning_spec("tpe", space));

        for (int id = 0; id < 609; ++id) {
            const auto trial = started(id, configs[static_cast<std::size_t>(id)]);
            told->tell(trial);
            told->tell(finished(trial, loss(trial.config)));
        }

        for (int id = 609; id < 620; ++id) {
            CHECK(told->propose(TrialId{id})->config == sampler->propose(TrialId{id})->config);
        }
    }
}

namespace {

/// A sampler about to make the first proposals from a new model, for trial 500 and later ones.
AnySampler at_trial_500(SchedulerKind kind) {
    auto spec = learning_spec("tpe", SearchSpace{{{"x", Uniform{0, 1}}}});
    spec.scheduler.kind = kind;
    spec.scheduler.max = Resource{4};
    AnySampler sampler(spec);
    for (int id = 0; id < 500; ++id) {
        auto trial = started(id, {{"x", (id * 7 % 500) / 500.0}});
        sampler->tell(trial);
        trial = finished(trial, std::abs(number_of(trial.config, 0) - 0.5));
        trial.resource = Resource{4};
        sampler->tell(trial);
    }
    return sampler;
}

}  // namespace

TEST_CASE("tpe skips none of the places that a model finds, even if every other trial explores") {
    const auto places = [](SchedulerKind kind) {
        auto sampler = at_trial_500(kind);
        std::vector<Config> all;
        for (int id = 500; all.size() < 12; ++id) {
            const auto [config, origin] = sampler->propose(TrialId{id}).value();
            if (origin == Origin::model) {
                all.push_back(config);
            }
        }
        return all;
    };

    CHECK(places(SchedulerKind::asha) == places(SchedulerKind::fifo));
}

TEST_CASE("tpe's models propose nothing twice in a small space, even if one model serves many trials") {
    AnySampler sampler(learning_spec("tpe", SearchSpace{{{"n", IntUniform{0, 999}}}}));
    std::set<double> numbers;
    int num_of_models = 0;

    for (int id = 0; id < 800; ++id) {
        const auto [config, origin] = sampler->propose(TrialId{id}).value();
        const double n = number_of(config, 0);
        const bool is_new = numbers.insert(n).second;
        CHECK((is_new || origin != Origin::model));  // Sweep replaces a point of sobol that was tried
        num_of_models += origin == Origin::model;
        sampler->tell(started(id, config));
        sampler->tell(finished(started(id, config), n));
    }

    CHECK(num_of_models > 400);  // the others find nothing untried near the best
}

TEST_CASE("once tpe's good trials have gathered, every other trial belongs to a second search") {
    const SearchSpace space{{{"x", Uniform{-1, 1}}, {"y", Uniform{-1, 1}}}};
    const auto loss = [](const Config& config) {
        return std::pow(number_of(config, 0), 2) + std::pow(number_of(config, 1), 2);
    };
    AnySampler sampler(learning_spec("tpe", space));
    learn(sampler, 200, loss);
    AnySampler told = sampler;

    for (int id = 200; id < 240; ++id) {
        const auto [config, origin] = sampler->propose(TrialId{id}).value();

        const bool is_first_of_second = id % 2 == 0 && id < 220;  // it knows nothing before ten results of its own
        CHECK(origin == (is_first_of_second ? Origin::random : Origin::model));
        CHECK(told->propose(TrialId{id})->config == config);
        for (auto* each : {&sampler, &told}) {
            (*each)->tell(started(id, config));
            (*each)->tell(finished(started(id, config), loss(config)));
        }
    }
}

TEST_CASE("tpe leaves a local minimum in which it has gathered") {
    const SearchSpace space{
        {{"v", Uniform{0, 1}}, {"w", Uniform{0, 1}}, {"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}, {"z", Uniform{0, 1}}}};
    const auto distance = [](const Config& config, double center) {
        double sum = 0;
        for (std::size_t i = 0; i < config.size(); ++i) {
            sum += std::pow(number_of(config, i) - center, 2);
        }
        return sum;
    };
    int num_found = 0;

    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        AnySampler sampler(learning_spec("tpe", space, seed));
        int id = 0;
        const auto configs = learn(sampler, 500, [&](const Config& config) {
            const bool is_hidden = id++ < 200;  // so all searches gather at 0.9
            return std::min(0.2 + distance(config, 0.9), is_hidden ? 1 : distance(config, 0.2));
        });
        num_found += std::any_of(configs.begin() + 200, configs.end(),
                                 [&](const Config& config) { return distance(config, 0.2) < 0.1; });
    }

    CHECK(num_found >= 7);  // without a second search, 2
}

TEST_CASE("tpe begins no second search because of earlier results, with constraints, or in a finite space") {
    const auto loss = [](const Config& config) { return std::abs(number_of(config, 0) - 500); };
    const auto num_of_models = [&](SweepSpec spec, int num_learnt) {
        AnySampler sampler(std::move(spec));
        learn(sampler, num_learnt, loss);
        int count = 0;
        for (int id = num_learnt; id < num_learnt + 20; ++id) {
            count += sampler->propose(TrialId{id})->origin != Origin::random;
        }
        return count;
    };
    const SearchSpace numbers{{{"x", Uniform{0, 1000}}}};
    auto warm = learning_spec("tpe", numbers);
    for (int i = 0; i < 400; ++i) {
        const Config config{{"x", 2.5 * i}};
        warm.warm_start.push_back({config, {{Resource{1}, loss(config)}}, false, true});
    }

    CHECK(num_of_models(learning_spec("tpe", numbers), 200) == 10);
    CHECK(num_of_models(learning_spec("tpe", SearchSpace{{{"x", IntUniform{0, 1'000'000}}}}), 200) == 20);
    CHECK(num_of_models(learning_spec("tpe", SearchSpace({{"x", Uniform{0, 1000}}}, {"x < 900"})), 200) == 20);
    CHECK(num_of_models(warm, 20) == 20);
}

TEST_CASE("results of a rung below the one tpe learns from do not begin a second search") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/999, /*max=*/4);
    spec.sampler = "tpe";
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    AnySampler sampler(spec);
    for (int id = 0; id < 220; ++id) {
        auto trial = started(id, {{"x", 0.5 + 1e-4 * id}});
        for (const int resource : {1, 4}) {
            trial.resource = Resource{resource};
            trial.loss = number_of(trial.config, 0);
            if (resource == 1 || id % 2 == 0) {
                sampler->tell(trial);
            }
        }
    }

    CHECK(sampler->propose(TrialId{220})->origin == Origin::model);
    CHECK(sampler->propose(TrialId{221})->origin == Origin::model);
}

TEST_CASE("every other trial of tpe explores in a large sweep with early stopping, but none does in other sweeps") {
    const auto origins = [](SchedulerKind kind, std::optional<int> run_cap) {
        auto spec = spec_of(kind, 1, /*max=*/4);
        spec.run_cap = run_cap;
        spec.sampler = "tpe";
        spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
        AnySampler sampler(spec);
        for (int id = 0; id < 40; ++id) {
            auto trial = started(id, {{"x", id / 40.0}});
            trial.resource = Resource{4};
            trial.loss = number_of(trial.config, 0);
            sampler->tell(trial);
        }
        std::vector<Origin> all;
        for (const int id : {62, 63, 64, 65, 900}) {
            all.push_back(sampler->propose(TrialId{id})->origin);
        }
        return all;
    };
    using enum Origin;

    CHECK(origins(SchedulerKind::asha, 1000) == std::vector{model, model, random, model, random});
    CHECK(origins(SchedulerKind::asha, {}) == std::vector{model, model, random, model, random});
    CHECK(origins(SchedulerKind::asha, 999) == std::vector{model, model, model, model, model});
    CHECK(origins(SchedulerKind::fifo, 1000) == std::vector{model, model, model, model, model});
}

TEST_CASE("the trials that explore for tpe cover each coordinate evenly") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
        spec.seed = seed;
        spec.sampler = "tpe";
        spec.space = SearchSpace{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}};
        AnySampler sampler(spec);
        std::vector<Config> explored;
        for (int id = 0; id < 64 + 2 * 64; ++id) {
            auto [config, origin] = sampler->propose(TrialId{id}).value();
            auto trial = started(id, config);
            trial.resource = Resource{4};
            trial.loss = number_of(config, 0) + number_of(config, 1);
            sampler->tell(trial);
            if (id >= 64 && origin == Origin::random) {
                explored.push_back(std::move(config));
            }
        }

        CHECK(count_in_eighths(explored, 0) == std::vector<int>(8, 8));
        CHECK(count_in_eighths(explored, 1) == std::vector<int>(8, 8));
    }
}

TEST_CASE("tpe gives bad trials with even numbers no more weight than the others") {
    int num_right = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        AnySampler sampler(learning_spec("tpe", SearchSpace{{{"x", Uniform{0, 1}}}}, seed));
        CounterRandom random(seed, 0);
        constexpr int num_trials = 1400;
        for (int id = 0; id < num_trials; ++id) {
            const bool is_good = id % 50 < 2;
            const double half = id % 2 == 0 ? 0 : 0.5;
            const auto trial = started(id, {{"x", is_good ? random.uniform() : half + random.uniform() / 2}});
            sampler->tell(trial);
            sampler->tell(finished(trial, is_good ? 0 : 1));
        }
        for (int id = num_trials; id < num_trials + 20; ++id) {
            const auto [config, origin] = sampler->propose(TrialId{id}).value();
            REQUIRE(origin == Origin::model);
            num_right += number_of(config, 0) > 0.5;
        }
    }
    CHECK(num_right > 50);
    CHECK(num_right < 150);
}
