#include "scheduler/samplers/cmaes_sampler.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <span>

#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

namespace {

SearchSpace cube(int num_dimensions) {
    std::vector<Parameter> parameters;
    for (int i = 0; i < num_dimensions; ++i) {
        parameters.push_back({"x" + std::to_string(i), Uniform{0, 1}});
    }
    return SearchSpace(std::move(parameters));
}

/// A valley that is not parallel to any axis, with a minimum of 0.
double valley(const Config& config) {
    double loss = std::pow(number_of(config, 0) - 0.6, 2);
    for (std::size_t i = 1; i < config.size(); ++i) {
        loss += 100 * std::pow(number_of(config, i) - number_of(config, i - 1), 2);
    }
    return loss;
}

}  // namespace

TEST_CASE("cmaes finds the end of a valley in 1,000 trials, unlike tpe") {
    const double loss = mean_best("cmaes", cube(5), 1000, 2, valley);

    CHECK(loss < 1e-4);
    CHECK(loss < mean_best("tpe", cube(5), 1000, 2, valley) / 10);
}

TEST_CASE("cmaes learns a category and the parameter that only this category has") {
    const SearchSpace space{{{"kind", Categorical{{1.0, 2.0, 3.0, 4.0, 5.0}}}, {"x", Uniform{0, 1}, "kind == 3"}}};
    const auto loss = [](const Config& config) {
        return number_of(config, 0) == 3 ? std::abs(number_of(config, 1) - 0.6) : 1;
    };

    CHECK(mean_best("cmaes", space, 300, 5, loss) < 0.01);
}

TEST_CASE("cmaes learns a category that is unlikely by its weight or because another one is listed often") {
    const auto share_of = [](double best, const Categorical& listed) {
        AnySampler sampler(learning_spec("cmaes", SearchSpace{{{"kind", listed}, {"x", Uniform{0, 1}}}}));
        const auto configs = learn(sampler, 400, [&](const Config& config) {
            return (number_of(config, 0) == best ? 0 : 1) + 0.1 * number_of(config, 1);
        });
        const auto num_best = std::ranges::count_if(
            std::span(configs).last(200), [&](const Config& config) { return number_of(config, 0) == best; });
        return static_cast<double>(num_best) / 200;
    };

    CHECK(share_of(2, {{1.0, 2.0}, {0.9, 0.1}}) > 0.8);
    CHECK(share_of(2, {{1.0, 2.0, 3.0}, {0.05, 0.05, 0.9}}) > 0.8);
    CHECK(share_of(1, {{1.0, 2.0, 2.0, 2.0}}) > 0.8);
}

TEST_CASE("cmaes keeps proposing the best whole number over thousands of trials") {
    AnySampler sampler(learning_spec("cmaes", SearchSpace{{{"k", IntUniform{1, 8}}, {"x", Uniform{0, 1}}}}));
    CounterRandom noise(1, 0);

    const auto configs = learn(sampler, 7000, [&](const Config& config) {
        return 10 * std::abs(number_of(config, 0) - 3) + noise.uniform();
    });

    const auto num_best = std::ranges::count_if(
        std::span(configs).last(5000), [](const Config& config) { return number_of(config, 0) == 3; });
    CHECK(num_best > 4000);
}

TEST_CASE("cmaes learns even if results come late and out of order") {
    auto spec = learning_spec("cmaes", cube(5));
    for (const std::size_t num_slots : {1U, 64U, 256U}) {
        CAPTURE(num_slots);
        AnySampler sampler(spec);
        std::deque<Trial> running;
        CounterRandom random(4, 0);
        double best = worst_loss;
        for (int id = 0; id < 4000; ++id) {
            running.push_back(started(id, sampler->propose(TrialId{id}).value().config));
            sampler->tell(running.back());
            if (running.size() == num_slots) {
                std::swap(running.front(), running[random.below(num_slots)]);
                const double loss = valley(running.front().config);
                sampler->tell(finished(running.front(), loss));
                running.pop_front();
                best = std::min(best, loss);
            }
        }
        CHECK(best < 1e-3);
    }
}

TEST_CASE("cmaes restarts elsewhere once it has converged") {
    const auto two_ends = [](const Config& config) {  // the narrow one is better
        const double x = number_of(config, 0);
        return x > 0.9 ? std::abs(x - 0.95) - 0.1 : std::abs(x - 0.3);
    };
    AnySampler sampler(learning_spec("cmaes", cube(1), /*seed=*/2));
    const auto configs = learn(sampler, 2000, two_ends);

    const auto is_near = [&](double x, auto first, auto last) {
        return std::any_of(first, last, [&](const Config& each) { return std::abs(number_of(each, 0) - x) < 1e-4; });
    };
    CHECK(is_near(0.95, configs.begin(), configs.end()));
    CHECK(is_near(0.3, configs.begin(), configs.end()));
}

TEST_CASE("cmaes learns from the highest rung with enough results, and ranks trials that lost earlier last") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
    spec.sampler = "cmaes";
    spec.space = cube(1);
    AnySampler sampler(spec);
    for (int id = 0; id < 300; ++id) {  // the left half loses at the first rung; at the next, 0.7 is best
        auto trial = started(id, sampler->propose(TrialId{id}).value().config);
        const double x = number_of(trial.config, 0);
        sampler->tell(trial);
        trial.resource = Resource{1};
        trial.loss = 1 - x;
        if (x < 0.5) {
            trial.status = TrialStatus::stopped;
            trial.reason = StopReason::judged;
        }
        sampler->tell(trial);
        if (x >= 0.5) {
            trial.resource = Resource{4};
            trial.loss = std::abs(x - 0.7);
            trial.status = TrialStatus::finished;
            trial.reason = StopReason::completed;
            sampler->tell(trial);
        }
        if (id > 100 && id < 120) {  // it has not restarted yet
            CHECK(std::abs(x - 0.7) < 0.2);
        }
    }
}

TEST_CASE("cmaes ranks a trial that loses at the rung it learns from by its loss there") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
    spec.sampler = "cmaes";
    spec.space = cube(1);
    AnySampler sampler(spec);
    for (int id = 0; id < 60; ++id) {  // worse trials survive in other brackets
        auto trial = started(id, sampler->propose(TrialId{id}).value().config);
        const double x = number_of(trial.config, 0);
        sampler->tell(trial);
        trial.resource = Resource{1};
        trial.loss = std::abs(x - 0.2);
        if (x < 0.5) {
            trial.status = TrialStatus::stopped;
            trial.reason = StopReason::judged;
        }
        sampler->tell(trial);
    }

    int num_left = 0;
    for (int id = 60; id < 80; ++id) {
        num_left += number_of(sampler->propose(TrialId{id})->config, 0) < 0.5;
    }
    CHECK(num_left > 15);
}

namespace {

/// How many of the next 100 proposals of a sampler lie in the right half.
int num_right(AnySampler& sampler) {
    int count = 0;
    for (int id = 1000; id < 1100; ++id) {
        count += number_of(sampler->propose(TrialId{id}).value().config, 0) > 0.5 ? 1 : 0;
    }
    return count;
}

}  // namespace

TEST_CASE("cmaes ranks all trials of a rung by their losses, including those from before it learnt from that rung") {
    AnySampler sampler(learning_spec("cmaes", cube(1)));
    std::vector<Trial> trials;
    for (int id = 0; id < 64; ++id) {  // they all run at once, so a generation has at least half of them
        trials.push_back(started(id, {{"x0", id < 10 ? 0.7 : 0.3}}));
        sampler->tell(trials.back());
    }
    for (int id = 0; id < 24; ++id) {  // with ten results it learns from the rung
        sampler->tell(finished(trials[static_cast<std::size_t>(id)], id < 10 ? 0.0 : 1.0));
    }

    CHECK(num_right(sampler) > 55);
}

TEST_CASE("cmaes ignores losses of rungs below the one it learns from") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
    spec.sampler = "cmaes";
    spec.space = cube(1);
    AnySampler sampler(spec);
    std::vector<Trial> trials;
    for (int id = 0; id < 64; ++id) {  // they all run, so a generation has 32 of them
        trials.push_back(started(id, {{"x0", id < 10 ? 0.7 : 0.3}}));
        sampler->tell(trials.back());
    }
    const auto report = [&](int id, int resource, double loss) {
        auto& trial = trials[static_cast<std::size_t>(id)];
        trial.resource = Resource{resource};
        trial.loss = loss;
        sampler->tell(trial);
    };

    for (int id = 0; id < 20; ++id) {  // at the first rung the first ten look bad
        report(id, 1, id < 10 ? 1 : 0);
    }
    for (int id = 0; id < 32; ++id) {  // at the next they are the best
        report(id, 2, id < 10 ? 0 : 1);
    }

    CHECK(num_right(sampler) > 55);
}

TEST_CASE("cmaes does not rank a trial last because it met its own target early") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4);
    spec.sampler = "cmaes";
    spec.space = cube(1);
    AnySampler sampler(spec);
    for (int id = 0; id < 10; ++id) {
        sampler->tell(finished(started(id, {{"x0", 0.5}}), 1));
    }
    for (int id = 10; id < 20; ++id) {
        auto trial = finished(started(id, {{"x0", id < 15 ? 0.7 : 0.3}}), id < 15 ? 0.0 : 1.0);
        trial.reason = id < 15 ? StopReason::reached : StopReason::completed;
        trial.resource = Resource{id < 15 ? 2 : 4};
        sampler->tell(trial);
    }

    CHECK(num_right(sampler) > 55);
}

TEST_CASE("cmaes does not wait for trials that are paused at a rung") {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/1000, /*max=*/4, Mode::promote);
    spec.sampler = "cmaes";
    spec.space = cube(1);
    AnySampler sampler(spec);
    for (int id = 0; id < 200; ++id) {
        auto trial = started(id, sampler->propose(TrialId{id}).value().config);
        const double distance = std::abs(number_of(trial.config, 0) - 0.7);
        sampler->tell(trial);
        trial.resource = Resource{1};
        trial.loss = distance;
        trial.status = TrialStatus::paused;
        sampler->tell(trial);
        CHECK((id < 150 || distance < 0.001));
    }
}

TEST_CASE("cmaes searches all values of a parameter that earlier sweeps lack") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        auto spec = learning_spec("cmaes", cube(2), seed);
        for (int i = 0; i < 400; ++i) {
            const double x = (i + 0.5) / 400;
            spec.warm_start.push_back({{{"x0", x}}, {{Resource{1}, std::abs(x - 0.8)}}, false, true});
        }
        AnySampler sampler(spec);

        double sum = 0;
        double squares = 0;
        for (int id = 0; id < 100; ++id) {
            const double y = number_of(sampler->propose(TrialId{id}).value().config, 1);
            sum += y / 100;
            squares += y * y / 100;
        }
        CHECK(std::sqrt(squares - sum * sum) > 0.15);
    }
}

TEST_CASE("cmaes starts from the results of earlier sweeps") {
    auto spec = learning_spec("cmaes", cube(2));
    CounterRandom random(1, 0);
    for (int i = 0; i < 200; ++i) {
        const double x = random.uniform();
        const double y = random.uniform();
        EarlierResult result;
        result.config = {{"x0", x}, {"x1", y}};
        result.reports = {{Resource{1}, std::hypot(x - 0.8, y - 0.8)}};
        result.is_complete = true;
        spec.warm_start.push_back(result);
    }
    AnySampler sampler(spec);

    const auto first = sampler->propose(TrialId{0}).value();
    CHECK(first.origin == Origin::warm);
    double sum = 0;
    for (int id = 0; id < 50; ++id) {
        const auto config = sampler->propose(TrialId{id}).value().config;
        sum += std::hypot(number_of(config, 0) - 0.8, number_of(config, 1) - 0.8) / 50;
    }
    CHECK(sum < 0.45);  // uniform points would have 0.52
}

TEST_CASE("cmaes does not settle while all losses are equal, and learns once some differ") {
    const SearchSpace space{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}};
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        AnySampler equal(learning_spec("cmaes", space, seed));
        auto configs = learn(equal, 400, [](const Config&) { return 1.0; });
        configs.erase(configs.begin(), configs.end() - 160);

        CHECK(std::ranges::min(count_in_eighths(configs, 0)) > 10);  // 20 would be even

        int count = 0;
        AnySampler later(learning_spec("cmaes", space, seed));
        configs = learn(later, 400, [&](const Config& config) {
            return ++count <= 100 ? 1.0 : std::hypot(number_of(config, 0) - 0.3, number_of(config, 1) - 0.6);
        });
        configs.erase(configs.begin(), configs.end() - 160);

        CHECK(count_in_eighths(configs, 0).at(2) > 80);
    }
}
