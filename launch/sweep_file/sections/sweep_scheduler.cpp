#include "launch/sweep_file/sections/sweep_scheduler.hpp"

#include <string>

namespace crescendo::launch {
namespace {

constexpr Words modes{{std::pair{Mode::stop, "stop"}, {Mode::promote, "promote"}}};
constexpr Words rules{{std::pair{Rule::rank, "rank"}, {Rule::percentile, "percentile"}}};
constexpr Words batch_policies{{std::pair{BatchPolicy::ladder, "ladder"},
                                {BatchPolicy::per_worker, "per_worker"},
                                {BatchPolicy::global, "global"},
                                {BatchPolicy::adaptive, "adaptive"}}};
constexpr Words grow_policies{
    {std::pair{GrowPolicy::eager, "eager"}, {GrowPolicy::wait, "wait"}, {GrowPolicy::partial, "partial"}}};
constexpr Words grow_conditions{
    {std::pair{GrowWhen::always, "always"}, {GrowWhen::faster, "faster"}, {GrowWhen::goodput, "goodput"}}};
constexpr Words hopeful_tries{
    {std::pair{HopefulTries::off, "off"}, {HopefulTries::on, "on"}, {HopefulTries::after_gain, "after_gain"}}};
constexpr Words priorities{{std::pair{Priority::promotions_first, "promotions_first"},
                            {Priority::starts_first, "starts_first"},
                            {Priority::tail, "tail"}}};
constexpr Words switches{{std::pair{Switch::on, "on"}, {Switch::off, "off"}}};

SchedulerKind read_kind(const YamlSection& section) {
    const std::string nearest = "use asha";
    return section.choice("type", scheduler_kinds, {{"bohb", nearest}, {"pbt", nearest}})
        .value_or(SchedulerKind::rasda);
}

GrowPolicy read_grow(const YamlSection& section) {
    if (section.has("grow") && section.at("grow") == "in_place") {
        section.fail("grow", "in_place is how a program of `command:` grows; write it outside scheduler");
    }
    return section.choice("grow", grow_policies).value_or(GrowPolicy::eager);
}

/// With `grow: wait`, a trial waits for all workers of its target. It would wait in vain if it then refused to grow.
GrowWhen default_condition(const SchedulerSpec& spec) {
    return spec.kind == SchedulerKind::rasda && spec.grow != GrowPolicy::wait ? GrowWhen::goodput : GrowWhen::always;
}

}  // namespace

SchedulerSpec read_scheduler(const YamlSection& section) {
    section.allow({"type",           "resource",       "min",           "max",           "reduction_factor",
                   "mode",           "rule",           "keep_diverged", "brackets",      "max_concurrent",
                   "workers",        "scaling_factor", "max_workers",   "grow",          "grow_when",
                   "second_try",     "hopeful_tries",  "priority",      "shrink",        "surplus",
                   "capped_surplus", "distinct_gpus",  "batch",         "min_efficiency"});
    SchedulerSpec spec;
    const auto read = [&](const auto& step) { section.attempt(step); };
    read([&] { section.word("resource", {"epochs", "steps", "samples", "seconds"}); });  // for readers only
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
    read([&] { spec.mode = section.choice("mode", modes).value_or(spec.mode); });
    read([&] { spec.rule = section.choice("rule", rules).value_or(spec.rule); });
    read([&] { spec.keep_diverged = section.choice("keep_diverged", switches).value_or(spec.keep_diverged); });
    read([&] { spec.brackets = section.small_integer("brackets"); });
    read([&] { spec.max_concurrent = section.small_integer("max_concurrent"); });
    read([&] { spec.workers = section.small_integer("workers").value_or(spec.workers); });
    read([&] { spec.scaling_factor = section.small_integer("scaling_factor"); });
    read([&] { spec.max_workers = section.small_integer("max_workers"); });
    read([&] { spec.batch = section.choice("batch", batch_policies).value_or(spec.batch); });
    read([&] {
        spec.min_efficiency = section.number("min_efficiency").value_or(spec.min_efficiency);
        if (section.has("min_efficiency") && spec.batch != BatchPolicy::adaptive) {
            section.fail("min_efficiency", "applies only to `batch: adaptive`; remove it, or add batch: adaptive");
        }
    });
    read([&] { spec.grow = read_grow(section); });
    read([&] { spec.grow_when = section.choice("grow_when", grow_conditions).value_or(default_condition(spec)); });
    read([&] { spec.second_try = section.choice("second_try", switches).value_or(spec.second_try); });
    read([&] { spec.hopeful_tries = section.choice("hopeful_tries", hopeful_tries).value_or(spec.hopeful_tries); });
    read([&] { spec.priority = section.choice("priority", priorities).value_or(spec.priority); });
    read([&] { spec.shrink = section.choice("shrink", switches).value_or(spec.shrink); });
    read([&] { spec.surplus = section.choice("surplus", switches); });
    read([&] { spec.capped_surplus = section.choice("capped_surplus", switches).value_or(spec.capped_surplus); });
    read([&] { spec.distinct_gpus = section.choice("distinct_gpus", switches).value_or(spec.distinct_gpus); });
    return spec;
}

}  // namespace crescendo::launch
