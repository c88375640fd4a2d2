#include "launch/directory/metric_note.hpp"

namespace crescendo::launch {

Json with_metric(Json run, const std::string& name, Goal goal) {
    run["metric"] = {{"name", name}, {"goal", goals.of(goal)}};
    return run;
}

std::vector<Override> noted_metric(const Json& run) {
    const auto metric = run.find("metric");
    if (metric == run.end()) {
        return {};
    }
    using enum Override::Applies;  // JSON is YAML
    return {{"metric.name", metric->at("name").dump(), if_missing},
            {"metric.goal", metric->at("goal").dump(), if_missing}};
}

}  // namespace crescendo::launch
