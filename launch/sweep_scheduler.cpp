#include "launch/sweep_scheduler.hpp"

#include <string>

namespace crescendo::launch {
namespace {

SchedulerKind read_kind(const YamlSection& section) {
    const std::string nearest = "use asha";
    return section
        .choice<SchedulerKind>(
            "type", {{"fifo", SchedulerKind::fifo}, {"asha", SchedulerKind::asha}, {"rasda", SchedulerKind::rasda}},
            {{"hyperband", "use asha, which stops bad trials as early"},
             {"successive_halving", nearest},
             {"bohb", nearest},
             {"pbt", nearest},
             {"median", nearest}})
        .value_or(SchedulerKind::rasda);
}

Rule read_rule(const YamlSection& section) {
    return section.choice<Rule>("rule", {{"rank", Rule::rank}, {"percentile", Rule::percentile}}).value_or(Rule::rank);
}

BatchPolicy read_batch(const YamlSection& section) {
    return section
        .choice<BatchPolicy>(
            "batch",
            {{"ladder", BatchPolicy::ladder}, {"per_worker", BatchPolicy::per_worker}, {"global", BatchPolicy::global}})
        .value_or(BatchPolicy::ladder);
}

/// Words with one meaning so far: they are checked, and there is nothing to remember.
void check_fixed_words(const YamlSection& section) {
    const std::string wait = "trials go on at their present size until slots are free; use grow: eager";
    section.word("mode", {"stop"}, {{"promote", "trials are judged as they report; use mode: stop"}});
    section.word("grow", {"eager"}, {{"wait", wait}, {"partial", wait}});
    section.word("surplus", {"off"}, {{"on", "idle slots stay idle; use surplus: off"}});
}

}  // namespace

SchedulerSpec read_scheduler(const YamlSection& section) {
    section.allow({"type", "min", "max", "reduction_factor", "mode", "rule", "workers", "scaling_factor", "max_workers",
                   "grow", "surplus", "batch"});
    SchedulerSpec spec;
    spec.kind = read_kind(section);
    if (!section.has("max")) {
        section.fail("max", "is missing: it is the resource (epochs, say) at which a trial is complete; add max: 27");
    }
    spec.min = Resource{section.integer("min").value_or(1)};
    spec.max = Resource{section.integer("max").value()};
    spec.reduction_factor = section.small_integer("reduction_factor").value_or(spec.reduction_factor);
    spec.rule = read_rule(section);
    spec.workers = section.small_integer("workers").value_or(spec.workers);
    spec.scaling_factor = section.small_integer("scaling_factor");
    spec.max_workers = section.small_integer("max_workers");
    spec.batch = read_batch(section);
    check_fixed_words(section);
    return spec;
}

}  // namespace crescendo::launch
