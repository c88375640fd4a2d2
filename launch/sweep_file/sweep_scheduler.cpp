#include "launch/sweep_file/sweep_scheduler.hpp"

#include <string>

namespace crescendo::launch {
namespace {

SchedulerKind read_kind(const YamlSection& section) {
    using enum SchedulerKind;
    const std::string nearest = "use asha";
    return section
        .choice<SchedulerKind>("type",
                               {{"fifo", fifo},
                                {"asha", asha},
                                {"rasda", rasda},
                                {"successive_halving", successive_halving},
                                {"hyperband", hyperband},
                                {"async_hyperband", async_hyperband},
                                {"pasha", pasha},
                                {"median", median}},
                               {{"bohb", nearest}, {"pbt", nearest}})
        .value_or(rasda);
}

Mode read_mode(const YamlSection& section) {
    return section.choice<Mode>("mode", {{"stop", Mode::stop}, {"promote", Mode::promote}}).value_or(Mode::stop);
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

GrowPolicy read_grow(const YamlSection& section) {
    return section
        .choice<GrowPolicy>(
            "grow", {{"eager", GrowPolicy::eager}, {"wait", GrowPolicy::wait}, {"partial", GrowPolicy::partial}})
        .value_or(GrowPolicy::eager);
}

GrowWhen read_grow_when(const YamlSection& section) {
    return section
        .choice<GrowWhen>("grow_when", {{"always", GrowWhen::always},
                                        {"faster", GrowWhen::faster},
                                        {"goodput", GrowWhen::goodput}})
        .value_or(GrowWhen::always);
}

Priority read_priority(const YamlSection& section) {
    return section
        .choice<Priority>("priority", {{"promotions_first", Priority::promotions_first},
                                       {"starts_first", Priority::starts_first},
                                       {"tail", Priority::tail}})
        .value_or(Priority::tail);
}

std::optional<Switch> read_switch(const YamlSection& section, const std::string& name) {
    return section.choice<Switch>(name, {{"on", Switch::on}, {"off", Switch::off}});
}

}  // namespace

SchedulerSpec read_scheduler(const YamlSection& section) {
    section.allow({"type", "resource", "min", "max", "reduction_factor", "mode", "rule", "brackets", "max_concurrent",
                   "workers", "scaling_factor", "max_workers", "grow", "grow_when", "priority", "shrink", "surplus", "batch"});
    SchedulerSpec spec;
    const auto read = [&](const auto& step) { section.attempt(step); };
    read([&] { section.word("resource", {"epochs", "steps", "samples", "seconds"}); });  // for its readers
    read([&] { spec.kind = read_kind(section); });
    read([&] { spec.min = Resource{section.integer("min").value_or(1)}; });
    read([&] {
        if (!section.has("max")) {
            section.fail("max",
                         "is missing: it is the resource (epochs, say) at which a trial is complete; add max: 27");
        }
        spec.max = Resource{section.integer("max").value()};
    });
    read([&] { spec.reduction_factor = section.small_integer("reduction_factor").value_or(spec.reduction_factor); });
    read([&] { spec.mode = read_mode(section); });
    read([&] { spec.rule = read_rule(section); });
    read([&] { spec.brackets = section.small_integer("brackets"); });
    read([&] { spec.max_concurrent = section.small_integer("max_concurrent"); });
    read([&] { spec.workers = section.small_integer("workers").value_or(spec.workers); });
    read([&] { spec.scaling_factor = section.small_integer("scaling_factor"); });
    read([&] { spec.max_workers = section.small_integer("max_workers"); });
    read([&] { spec.batch = read_batch(section); });
    read([&] { spec.grow = read_grow(section); });
    read([&] { spec.grow_when = read_grow_when(section); });
    read([&] { spec.priority = read_priority(section); });
    read([&] { spec.shrink = read_switch(section, "shrink").value_or(spec.shrink); });
    read([&] { spec.surplus = read_switch(section, "surplus"); });
    return spec;
}

}  // namespace crescendo::launch
