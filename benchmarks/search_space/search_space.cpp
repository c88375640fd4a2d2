/// Measures the time to read a large search space with rules, and to draw a proposal from it.
///
/// It has 200 parameters, 50 with a condition, and 20 constraints that each reject about one draw in twenty. Times are
/// CPU times, so that other work on the machine does not count.
///
///     search_space             the spaces in the README's table
///     search_space --quick     the same, for a moment only

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/cpu_seconds.hpp"
#include "core/check.hpp"
#include "core/draws.hpp"
#include "scheduler/space/survey.hpp"

using namespace crescendo;

namespace {

struct Space {
    std::vector<Parameter> parameters;
    std::vector<std::string> constraints;
};

/// Parameters of all kinds; the first `num_conditions` odd ones depend on the one before.
Space space_of(int num_parameters, int num_conditions, int num_constraints) {
    Space space;
    for (int i = 0; i < num_parameters; ++i) {
        const auto name = text("parameter_{}", i);
        if (i % 2 == 0) {
            space.parameters.push_back({name, IntUniform{1, 100}});
        } else if (i / 2 < num_conditions) {
            space.parameters.push_back({name, Uniform{0, 1}, text("parameter_{} > 50 or parameter_0 < 10", i - 1)});
        } else {
            space.parameters.push_back({name, LogUniformValues{1e-5, 1}});
        }
    }
    for (int i = 0; i < num_constraints; ++i) {
        space.constraints.push_back(text("parameter_{} * parameter_{} <= 7800", 4 * i, 4 * i + 2));
    }
    return space;
}

template <class Work>
double microseconds(int times, const Work& work) {
    const double begin = benchmarks::cpu_seconds();
    for (int i = 0; i < times; ++i) {
        work(i);
    }
    return 1e6 * (benchmarks::cpu_seconds() - begin) / times;
}

}  // namespace

int main(int argc, char** argv) {
    const bool is_quick = argc == 2 && std::string_view(argv[1]) == "--quick";
    if (argc > 1 && !is_quick) {
        std::fprintf(stderr, "usage: search_space [--quick]\n");
        return 2;
    }
    struct Row {
        int parameters, conditions, constraints;
    };
    std::printf("%10s %10s %11s %9s %12s %12s\n", "parameters", "conditions", "constraints", "refused", "read (us)",
                "propose (us)");
    for (const auto& [parameters, conditions, constraints] : {Row{200, 0, 0}, {200, 50, 0}, {200, 50, 20}}) {
        const auto space = space_of(parameters, conditions, constraints);
        const double read = microseconds(is_quick ? 3 : 300, [&](int) {
            SearchSpace(space.parameters, space.constraints);
        });
        const SearchSpace searched(space.parameters, space.constraints);
        std::size_t entries = 0;  // so that no draw is optimized away
        const double propose = microseconds(is_quick ? 100 : 20'000, [&](int i) {
            entries += searched.sample(draws(1, Purpose::configuration, TrialId{i})).size();
        });
        std::printf("%10d %10d %11d %7.1f %% %12.0f %12.1f\n", parameters, conditions, constraints,
                    100 * survey(searched, 1).share_refused(), read, propose);
        CRESCENDO_EXPECT(entries > 0);
    }
}
