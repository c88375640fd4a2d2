#include "launch/report/comparison.hpp"

#include "core/check.hpp"
#include "launch/compare/methods.hpp"
#include "launch/compare/sweep_comparison.hpp"
#include "launch/compare/sweep_report.hpp"
#include "scheduler/loss.hpp"

namespace crescendo::launch {
namespace {

/// A value of the metric that every method reaches in most of its sweeps: the worst of their medians.
std::optional<double> common_target(const std::vector<Method>& methods, const SweepSpec& spec) {
    double worst = -worst_loss;
    for (const auto& method : compare_methods(methods, Prices(), {})) {
        worst = std::max(worst, method.best_loss.median);
    }
    return worst < worst_loss ? std::optional(from_loss(spec.goal, worst)) : std::nullopt;
}

}  // namespace

OrderedJson comparison_json(const std::vector<std::filesystem::path>& directories) {
    OrderedJson result;
    result["problem"] = "";
    try {
        const auto methods = read_methods(directories, Grouping::seed, Clock::sweeps, [](auto, auto) {});
        const auto& spec = methods.front().runs.front().file.spec;
        const auto target = common_target(methods, spec);
        const auto table = methods_table(compare_methods(methods, Prices(), {target, {}}), spec);
        result["target"] = target ? OrderedJson(*target) : OrderedJson(nullptr);
        result["methods"] = OrderedJson::parse(table.print(Format::json));
        result["first_sweeps"] = OrderedJson::array();
        for (const auto& method : methods) {
            result["first_sweeps"].push_back(method.runs.front().directory.string());
        }
        result["chart"] = SweepReport(methods, Prices()).chart();
    } catch (const InvalidInput& error) {
        result["problem"] = error.what();
    }
    return result;
}

}  // namespace crescendo::launch
