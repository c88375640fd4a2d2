#include "launch/report/comparison.hpp"

#include <algorithm>

#include "analysis/quality_cost.hpp"
#include "core/check.hpp"
#include "core/mapped.hpp"
#include "launch/compare/methods.hpp"
#include "launch/compare/sweep_comparison.hpp"
#include "launch/compare/sweep_report.hpp"

namespace crescendo::launch {
namespace {

/// A value of the metric that every sweep with a value reaches: the worst of their best values.
std::optional<double> common_target(const std::vector<Method>& methods, Goal goal) {
    std::optional<double> worst;
    for (const auto& method : methods) {
        for (const auto& run : method.runs) {
            if (const auto best = analysis::best_so_far(run.curves, analysis::Axis::seconds); !best.empty()) {
                worst = std::max(worst.value_or(best.back().loss), best.back().loss);
            }
        }
    }
    return worst ? std::optional(from_loss(goal, *worst)) : std::nullopt;
}

}  // namespace

OrderedJson comparison_json(const std::vector<std::filesystem::path>& directories) {
    OrderedJson result;
    result["problem"] = "";
    try {
        const auto methods = read_methods(directories, Grouping::seed, ClockOf::sweeps, [](auto, auto) {});
        const auto& spec = methods.front().runs.front().file.spec;
        const auto target = common_target(methods, spec.goal);
        const auto compared = compare_methods(methods, Prices(), {target, {}});
        const auto table = methods_table(compared, spec);
        result["target"] = target;
        result["few_sweeps"] = few_sweeps_text(mapped(compared, &MethodComparison::num_sweeps));
        result["methods"] = table.rows_json();
        result["first_sweeps"] =
            mapped(methods, [](const Method& each) { return each.runs.front().directory.string(); });
        result["chart"] = SweepReport(methods, Prices()).chart();
    } catch (const InvalidInput& error) {
        result["problem"] = error.what();
    }
    return result;
}

}  // namespace crescendo::launch
