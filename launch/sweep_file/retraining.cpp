#include "launch/sweep_file/retraining.hpp"

#include <cstdint>
#include <limits>

#include "launch/json/value_json.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"
#include "launch/yaml/yaml_document.hpp"

namespace crescendo::launch {
namespace {

/// The section `parameters` with one value for each; parameters that hold others keep their structure.
OrderedJson fixed_parameters(const Config& config, const std::vector<std::string>& groups) {
    auto all = OrderedJson::object();
    for (const auto& [name, value] : config) {
        auto* section = &all;
        std::string path;  // name of the group that holds the parameter
        for (const auto& group : groups) {
            if (name.starts_with(group + ".")) {
                section = &(*section)[path.empty() ? group : group.substr(path.size() + 1)]["parameters"];
                path = group;
            }
        }
        (*section)[path.empty() ? name : name.substr(path.size() + 1)]["value"] = launch::to_json(value);
    }
    return all;
}

/// A different seed that a sweep file can hold.
std::uint64_t other_seed(std::uint64_t seed) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return seed < largest ? seed + 1 : 0;
}

}  // namespace

std::string retraining_of(const SweepFile& file, const OrderedJson& limits, const Config& config, int num_seeds) {
    Mistakes none;
    const auto original = parse_yaml(file.text, file.name, none, "command").root;
    OrderedJson result{{"name", file.name + "-retrain"},
                       {"metric", {{"name", file.spec.metric}, {"goal", goals.of(file.spec.goal)}}},
                       {"seed", other_seed(file.spec.seed)},
                       {"run_cap", num_seeds},
                       {"parameters", fixed_parameters(config, file.groups)}};
    if (file.spec.scheduler.has_max()) {  // without a maximum, each program ends by itself
        auto& scheduler = result["scheduler"] = {{"type", "fifo"}};
        if (const auto found = original.find("scheduler"); found != original.end() && found->contains("resource")) {
            scheduler["resource"] = found->at("resource");
        }
        scheduler["max"] = file.spec.scheduler.max.value;
        scheduler["workers"] = file.spec.scheduler.workers;
    }
    for (const auto& key : training_keys()) {
        if (const auto& source = limits.contains(key) ? limits : original; source.contains(key)) {
            result[key] = source.at(key);
        }
    }
    if (file.trainer && file.has_final_test()) {
        result["trainer"]["test_trials"] = "all";
    }
    return "# Written by `crescendo retrain`.\n" + result.dump(2) + "\n";
}

}  // namespace crescendo::launch
