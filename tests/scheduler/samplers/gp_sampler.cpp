#include "scheduler/samplers/gp_sampler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "core/check.hpp"
#include "core/median.hpp"
#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

namespace {

/// Branin's function over [0, 1]², whose minimum is 0.397887.
double branin(const Config& config) {
    const double pi = 3.14159265358979323846;
    const double x = 15 * number_of(config, 0) - 5;
    const double y = 15 * number_of(config, 1);
    const double root = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
    return root * root + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

const SearchSpace& square() {
    static const SearchSpace space{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}};
    return space;
}

}  // namespace

TEST_CASE("gp finds Branin's minimum in 40 trials, which are too few for tpe") {
    const double regret = mean_best("gp", square(), 40, 5, branin) - 0.397887;

    CHECK(regret < 0.02);
    CHECK(regret < (mean_best("tpe", square(), 40, 5, branin) - 0.397887) / 5);
}

TEST_CASE("gp does not mistake the last refinements of an exact function for noise") {
    CHECK(median(bests("gp", square(), 50, 10, branin)) - 0.397887 < 0.0002);
}

TEST_CASE("gp finds the minimum of a smooth function of 16 numbers that all matter") {
    std::vector<Parameter> parameters;
    for (int i = 0; i < 16; ++i) {
        parameters.push_back({text("x{}", i), Uniform{0, 1}});
    }
    const auto loss = [](const Config& config) {  // 3.3 on average
        double sum = 0;
        for (std::size_t i = 0; i < config.size(); ++i) {
            sum += std::pow(number_of(config, i) - 0.85, 2);
        }
        return sum;
    };

    CHECK(mean_best("gp", SearchSpace(parameters), 80, 1, loss) < 0.05);
}

TEST_CASE("bad losses do not hide the differences between good ones from gp") {
    const auto loss = [](const Config& config) {  // most of the space is a hundred times worse than the rest
        const double x = number_of(config, 0);
        const double y = number_of(config, 1);
        return x < 0.7 ? 10 + 90 * y : std::hypot(x - 0.8, y - 0.3);
    };

    CHECK(mean_best("gp", square(), 40, 10, loss) < 0.008);
}

TEST_CASE("gp proposes from its model if some losses are NaN and the others are equal or extremely far apart") {
    for (const double low : {0.0, -1.7e308}) {
        for (const double high : {0.0, 1.7e308}) {
            AnySampler sampler(learning_spec("gp", square()));
            int count = 0;
            learn(sampler, 30, [&](const Config&) {
                ++count;
                return count % 3 == 0 ? std::nan("") : count % 3 == 1 ? low : high;
            });

            CHECK(sampler->propose(TrialId{30})->origin == Origin::model);
        }
    }
}

TEST_CASE("gp does not stay at the borders if all losses are equal") {
    AnySampler sampler(learning_spec("gp", square()));

    const auto configs = learn(sampler, 80, [](const Config&) { return 1.0; });

    CHECK(std::ranges::max(count_in_eighths(configs, 0)) < 20);  // 10 would be even
}

TEST_CASE("gp proposes no configuration twice if a parameter is conditional or few configurations are allowed") {
    const std::vector<Parameter> parameters{{"a", Uniform{0, 1}},
                                            {"b", Uniform{0, 1}},
                                            {"c", Categorical{{std::string("p"), std::string("q"), std::string("r")}}},
                                            {"d", Uniform{0, 1}, "c == 'r'"}};
    const auto loss = [](const Config& config) {
        const double a = number_of(config, 0) - 0.4;
        return a * a + (config.at(2).second == Value{std::string("q")} ? 0 : 0.2);
    };
    for (const auto& constraints : {std::vector<std::string>{}, {"abs(2 * a + b - 1.3) < 0.01"}}) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            AnySampler sampler(learning_spec("gp", SearchSpace(parameters, constraints), seed));

            const auto configs = learn(sampler, 60, loss);

            CHECK(std::set(configs.begin(), configs.end()).size() == configs.size());
        }
    }
}

TEST_CASE("gp learns a category and the parameter that only this category has") {
    const SearchSpace space{{{"kind", Categorical{{1.0, 2.0, 3.0, 4.0, 5.0}}}, {"x", Uniform{0, 1}, "kind == 3"}}};
    const auto loss = [](const Config& config) {
        return number_of(config, 0) == 3 ? std::abs(number_of(config, 1) - 0.6) : 1;
    };

    CHECK(mean_best("gp", space, 40, 5, loss) < 0.01);
}

TEST_CASE("gp does not propose pending points again") {
    const auto spread = [](const std::vector<Config>& configs) {
        double sum = 0;
        for (const auto& a : configs) {
            for (const auto& b : configs) {
                sum += std::hypot(number_of(a, 0) - number_of(b, 0), number_of(a, 1) - number_of(b, 1));
            }
        }
        return sum;
    };
    double pending = 0;
    double unknown = 0;
    for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
        AnySampler sampler(learning_spec("gp", square(), seed));
        learn(sampler, 30, branin);
        AnySampler forgetful = sampler;
        std::vector<Config> batch;
        std::vector<Config> careless;
        for (int id = 32; id < 39; ++id) {
            batch.push_back(sampler->propose(TrialId{id}).value().config);
            sampler->tell(started(id, batch.back()));
            careless.push_back(forgetful->propose(TrialId{id}).value().config);
        }
        pending += spread(batch);
        unknown += spread(careless);
    }

    CHECK(pending > 2 * unknown);
}

TEST_CASE("gp does not forget a pending point when 200 other trials run") {
    double known = 0;
    double unknown = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        AnySampler sampler(learning_spec("gp", square(), seed));
        learn(sampler, 30, branin);
        const auto first = sampler->propose(TrialId{32}).value().config;
        AnySampler forgetful = sampler;
        sampler->tell(started(32, first));
        CounterRandom random(seed, 0);
        for (int id = 33; id < 233; ++id) {  // in the corner where Branin's function is largest
            const auto other = started(id, {{"x", 0.05 * random.uniform()}, {"y", 0.05 * random.uniform()}});
            sampler->tell(other);
            forgetful->tell(other);
        }
        const auto distance = [&](const Config& config) {
            return std::hypot(number_of(config, 0) - number_of(first, 0), number_of(config, 1) - number_of(first, 1));
        };
        known += distance(sampler->propose(TrialId{240}).value().config);
        unknown += distance(forgetful->propose(TrialId{240}).value().config);
    }

    CHECK(known > 2 * unknown);
}

TEST_CASE("gp learns from the highest rung with enough results, and treats trials that lost earlier as bad") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
    spec.sampler = "gp";
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    AnySampler sampler(spec);
    for (int id = 0; id < 40; ++id) {  // the left half loses at the first rung; at the next, 0.7 is best
        auto trial = started(id, {{"x", (id + 0.5) / 40}});
        sampler->tell(trial);
        trial.resource = Resource{1};
        trial.loss = 1 - number_of(trial.config, 0);
        if (id < 20) {
            trial.status = TrialStatus::stopped;
            trial.reason = StopReason::judged;
        }
        sampler->tell(trial);
        if (id >= 20) {
            trial.resource = Resource{4};
            trial.loss = std::abs(number_of(trial.config, 0) - 0.7);
            trial.status = TrialStatus::finished;
            trial.reason = StopReason::completed;
            sampler->tell(trial);
        }
    }

    const double x = number_of(sampler->propose(TrialId{40})->config, 0);
    CHECK(std::abs(x - 0.7) < 0.1);
}

TEST_CASE("gp treats trials that are paused below the rung it learns from as bad, like lost ones") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4, Mode::promote);
    spec.sampler = "gp";
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    AnySampler sampler(spec);
    for (int id = 0; id < 40; ++id) {  // the right half was promoted, and its leftmost trial is best
        auto trial = started(id, {{"x", (id + 0.5) / 40}});
        sampler->tell(trial);
        trial.resource = Resource{id < 20 ? 1 : 4};
        trial.loss = std::abs(number_of(trial.config, 0) - 0.5);
        trial.status = id < 20 ? TrialStatus::paused : TrialStatus::finished;
        sampler->tell(trial);
    }

    for (int id = 40; id < 47; ++id) {
        CHECK(number_of(sampler->propose(TrialId{id})->config, 0) > 0.45);
    }
}

TEST_CASE("gp still finds the minimum with more results than the 500 that its model holds") {
    AnySampler sampler(learning_spec("gp", square()));
    CounterRandom random(3, 0);
    for (int id = 0; id < 700; ++id) {
        const auto trial = started(id, {{"x", random.uniform()}, {"y", random.uniform()}});
        sampler->tell(trial);
        sampler->tell(finished(trial, branin(trial.config)));
    }

    CHECK(branin(sampler->propose(TrialId{700})->config) < 0.6);
}

TEST_CASE("every eighth proposal of gp is a point of a sequence that covers the space") {
    AnySampler sampler(learning_spec("gp", square()));
    std::vector<Config> explored;
    for (int id = 0; id < 8 * 17; ++id) {
        auto config = Config{{"x", id / 136.0}, {"y", 0.5}};
        if (id >= 8 && id % 8 == 7) {
            const auto proposal = sampler->propose(TrialId{id}).value();
            CHECK(proposal.origin == Origin::random);
            config = proposal.config;
            explored.push_back(config);
        }
        sampler->tell(started(id, config));
        sampler->tell(finished(started(id, config), number_of(config, 0)));
    }

    REQUIRE(explored.size() == 16);
    for (const int count : count_in_eighths(explored, 0)) {
        CHECK(count >= 1);
        CHECK(count <= 3);
    }
}

TEST_CASE("once gp's best trials have gathered, every other trial belongs to a second search, which restarts in turn") {
    const auto loss = [](const Config& config) {
        return std::pow(number_of(config, 0) - 0.3, 2) + std::pow(number_of(config, 1) - 0.7, 2);
    };
    AnySampler sampler(learning_spec("gp", square()));
    std::vector<int> random;  // Sobol's points: the first of each search, and every eighth
    for (int id = 0; id < 220; ++id) {
        const auto [config, origin] = sampler->propose(TrialId{id}).value();
        if (origin == Origin::random && id % 2 == 0) {
            random.push_back(id);
        }
        sampler->tell(started(id, config));
        sampler->tell(finished(started(id, config), loss(config)));
    }

    const std::vector<int> first{0, 2, 4, 6, 8};
    std::vector<int> expected = first;
    for (const int begin : {100, 200}) {
        for (int i = 0; i < 10; ++i) {
            expected.push_back(begin + 2 * i);
        }
    }
    CHECK(random == expected);
}

TEST_CASE("neither a category of many values nor a diverging loss keeps gp from proposing") {
    Categorical many;
    for (int i = 0; i < 10'000; ++i) {
        many.values.push_back(static_cast<double>(i));
    }
    const SearchSpace space{{{"id", many}, {"x", Uniform{0, 1}}}};
    const auto loss = [](const Config& config) {
        const double x = number_of(config, 1);
        return x < 0.2 ? 1e30 : std::abs(x - 0.5);
    };

    CHECK(mean_best("gp", space, 16, 1, loss) < 0.1);
}

TEST_CASE("the logarithm of the expected improvement matches the formula and does not underflow") {
    const auto log_of = [](double z) { return log_expected_improvement({-z * 0.5, 0.5}, 0); };
    for (const double z : {-4.9, -2.0, 0.0, 3.0}) {
        const double density = std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979323846);
        CHECK(log_of(z) == doctest::Approx(std::log(0.5 * (density + z * std::erfc(-z / std::sqrt(2.0)) / 2))));
    }
    CHECK(log_of(-5.0001) == doctest::Approx(log_of(-4.9999)).epsilon(1e-3));
    CHECK(log_of(-1000) > log_of(-1001));
    CHECK(std::isfinite(log_of(-1000)));
}

TEST_CASE("the slope of the logarithm of the expected improvement matches finite differences and does not underflow") {
    const auto log_of = [](double mean, double deviation) { return log_expected_improvement({mean, deviation}, 0.2); };
    for (const double mean : {-1.5, 0.0, 0.2, 1.4, 2.69, 2.71, 4.0, 60.0}) {
        CAPTURE(mean);
        const double by = 1e-6;

        const auto slope = slope_of_log_improvement({mean, 0.5}, 0.2);

        CHECK(slope.by_mean ==
              doctest::Approx((log_of(mean + by, 0.5) - log_of(mean - by, 0.5)) / (2 * by)).epsilon(5e-3));
        CHECK(slope.by_deviation ==
              doctest::Approx((log_of(mean, 0.5 + by) - log_of(mean, 0.5 - by)) / (2 * by)).epsilon(5e-3));
    }
}
