/// Prints configurations and the actions of many sweeps with random events, so that builds can be compared: see
/// same_everywhere.py.

#include <cstdio>
#include <limits>

#include "core/random.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

template <class Enum>
Enum one_of(CounterRandom& random, Enum last) {
    return static_cast<Enum>(random.below(static_cast<std::uint64_t>(last) + 1));
}

SweepSpec random_spec(CounterRandom& random) {
    auto spec = spec_of(/*run_cap=*/60, /*max=*/27);
    spec.seed = random.next();
    auto& scheduler = spec.scheduler;
    scheduler.second_try = Switch::off;  // as in older sweeps, whose decisions do not change
    scheduler.hopeful_tries = HopefulTries::off;
    scheduler.kind = one_of(random, SchedulerKind::median);
    scheduler.reduction_factor = 2 + static_cast<int>(random.below(3));
    const bool is_asha = scheduler.kind == SchedulerKind::asha || scheduler.kind == SchedulerKind::rasda;
    if (is_asha) {
        scheduler.mode = one_of(random, Mode::promote);
        scheduler.rule = scheduler.mode == Mode::stop ? one_of(random, Rule::percentile) : Rule::rank;
    }
    if (scheduler.kind == SchedulerKind::rasda) {
        scheduler.grow = one_of(random, GrowPolicy::partial);
        scheduler.grow_when =
            scheduler.grow == GrowPolicy::wait ? GrowWhen::always : one_of(random, GrowWhen::goodput);
        scheduler.priority = one_of(random, Priority::tail);
        scheduler.surplus = one_of(random, Switch::on);
        scheduler.shrink = scheduler.grow == GrowPolicy::wait ? Switch::off : one_of(random, Switch::on);
    }
    return spec;
}

/// Every distribution.
SearchSpace space_of_all() {
    return SearchSpace{{
        {"uniform", Uniform{-1, 3}},
        {"log_uniform_values", LogUniformValues{1e-6, 1}},
        {"int_uniform", IntUniform{-7, 1'000'000}},
        {"q_uniform", QUniform{-2, 2, 0.3}},
        {"q_log_uniform_values", QLogUniformValues{1, 99, 4}},
        {"normal", Normal{3, 2}},
        {"q_normal", QNormal{3, 2, 0.25}},
        {"log_normal", LogNormal{-4, 1}},
        {"q_log_normal", QLogNormal{2, 1, 0.5}},
        {"beta", Beta{0.5, 3}},
        {"narrow_beta", Beta{900, 40}},
        {"q_beta", QBeta{2, 2, 0.05}},
        {"categorical", Categorical{{1.0, 2.0, 3.0}}},
        {"weighted", Categorical{{1.0, 2.0, 3.0}, {0.2, 0.3, 0.5}}},
        {"constant", Constant{true}},
    }};
}

/// Every function and operator, conditions and constraints.
SearchSpace space_with_rules() {
    return SearchSpace({{"kind", Categorical{{std::string("a"), std::string("b")}}},
                        {"x", Uniform{0.1, 4}},
                        {"n", IntUniform{-9, 9}},
                        {"y", LogUniformValues{1e-6, 1}, "kind == 'a' and x > 1"},
                        {"m", IntUniform{1, 5}, "not (y > 0.01)"},
                        derived_parameter("roots", "sqrt(x) + pow(x, 0.3) * exp(-x) / log(x + 1.5) - x ** 3"),
                        derived_parameter("whole", "round(x * n) + floor(x) - ceil(x) + int(x) + abs(n) % 4 + n // 2"),
                        derived_parameter("least", "min(x, n, roots) if x < 2 else max(x, n)")},
                       {"whole not in [3, 4]", "x * n <= 20 or y < 0.5"});
}

void print(const Config& config) {
    for (const auto& value : config) {
        std::printf("%s ", to_string(value.second).c_str());
    }
    std::puts("");
}

void print_configurations() {
    const auto space = space_of_all();
    const auto ruled = space_with_rules();
    for (std::uint64_t stream = 0; stream < 500; ++stream) {
        CounterRandom random(/*seed=*/1, stream);
        print(space.sample(random));
        print(ruled.sample(random));
        std::vector<double> point;
        while (static_cast<int>(point.size()) < space.num_dimensions()) {
            point.push_back(random.uniform());
        }
        print(space.at(point).value());
    }
}

/// Prints what samplers propose while trials report random losses, some of which are not finite.
void print_proposals() {
    for (const char* sampler : {"sobol", "tpe", "cmaes"}) {
        for (const auto& space : {space_of_all(), space_with_rules(), SearchSpace({{"n", IntUniform{0, 79}}})}) {
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/80, /*max=*/4);
                spec.sampler = sampler;
                spec.space = space;
                spec.seed = seed;
                Script script(spec);
                script.join(8);
                CounterRandom random(seed, 0);
                while (script.sweep.state() == SweepState::running) {
                    const auto id = static_cast<int>(random.below(script.sweep.trials().size()));
                    if (script.trial(id).status == TrialStatus::running) {
                        constexpr double infinity = std::numeric_limits<double>::infinity();
                        const double loss = random.below(20) == 0 ? infinity : random.uniform();
                        script.report(id, static_cast<int>(script.trial(id).resource.value) + 1, loss);
                    }
                }
                for (const auto& trial : script.sweep.trials()) {
                    print(trial.config);
                }
            }
        }
    }
}

}  // namespace

int main() {
    print_configurations();
    print_proposals();
    std::puts("decisions:");
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CounterRandom random(seed, 0);
        Script script(random_spec(random));
        std::puts(script.join(8).c_str());
        while (script.sweep.state() == SweepState::running) {
            const auto id = static_cast<int>(random.below(script.sweep.trials().size()));
            const auto& trial = script.trial(id);
            if (trial.status == TrialStatus::running) {
                const double loss = 1.0 / (1.0 + random.uniform() * static_cast<double>(trial.resource.value));
                const auto workers = static_cast<double>(trial.group.slots.size());
                const double seconds = (1.0 + 0.1 * random.uniform()) * (0.3 + 0.7 / workers);
                const Steps steps{seconds, 64.0 * trial.group.batch.multiple, 500 * random.uniform()};
                if (random.below(4) == 0) {
                    const TrialRegrouped regrouped{trial.id, trial.group.generation, 9 * random.uniform(), seconds};
                    std::puts(script.apply(regrouped).c_str());
                }
                std::puts(random.below(50) == 0
                              ? script.fail(id).c_str()
                              : script.report(id, static_cast<int>(trial.resource.value) + 1, loss, steps).c_str());
            }
        }
    }
}
