#include "launch/sweep_file/keys/sweep_keys.hpp"

#include <algorithm>
#include <array>

#include "core/spelling.hpp"

namespace crescendo::launch {
namespace {

/// Effects of a key, combined by bitwise or.
enum Effect : unsigned {
    decides = 0,  ///< affects the search, and has none of the following effects
    changeable = 1,
    next_session = 2,  ///< a change takes effect in the next session; combine it with `changeable`
    describes = 4,
    trains = 8,
};

struct Key {
    std::string_view name;  ///< dotted if the other keys of its section have other effects
    unsigned effects = decides;
};

/// Everything about the keys of a sweep file except how to read them (sweep_file.cpp).
constexpr auto keys = std::to_array<Key>({
    {"name"},
    {"description", describes},
    {"project", describes},
    {"entity", describes},
    {"metric"},
    {"method"},
    {"sampler"},
    {"parameters"},
    {"constraints"},
    {"initial"},
    {"run_cap", changeable},
    {"seed"},
    {"slots"},
    {"bind", trains},
    {"budget"},
    {"budget.time", changeable},
    {"budget.target", changeable},
    {"scheduler"},
    {"scheduler.max_concurrent", changeable},
    {"early_terminate"},
    {"trial"},
    {"cpus_per_slot", trains},
    {"slots_per_gpu", trains},
    {"price", describes | trains},
    {"trainer", trains},
    {"program", trains},
    {"command", trains},
    {"grow", trains},
    {"report", trains},
    {"final_test", trains},
    {"max_retries", changeable | trains},
    {"hang_timeout", changeable | next_session | trains},
    {"simulate", describes},
    {"entry", describes},
    {"on_finish", describes},
    {"on_failure", describes},
    {"trial_time"},
    {"patience"},
    {"repeat"},
    {"keep", describes},
    {"plugins"},
    {"stop_rule"},
    {"warm_start"},
    {"apiVersion", describes},
    {"kind", describes},
    {"controller", describes},
});

bool has_effect(std::string_view name, Effect effect) {
    return std::ranges::any_of(keys, [&](const Key& key) { return key.name == name && (key.effects & effect) != 0; });
}

template <class Predicate>
std::vector<std::string> names(Predicate predicate) {
    std::vector<std::string> names;
    for (const auto& key : keys) {
        if (predicate(key)) {
            names.emplace_back(key.name);
        }
    }
    return names;
}

}  // namespace

std::vector<std::string> sweep_keys() {
    return names([](const Key& key) { return key.name.find('.') == std::string_view::npos; });
}

std::vector<std::string> changeable_keys() {
    return names([](const Key& key) { return (key.effects & changeable) != 0; });
}

std::vector<std::string> training_keys() {
    return names([](const Key& key) { return (key.effects & trains) != 0; });
}

bool is_changeable(std::string_view key) { return has_effect(key, changeable); }

bool changes_next_session(std::string_view key) { return has_effect(key, next_session); }

bool only_describes(std::string_view key) { return has_effect(key.substr(0, key.find('.')), describes); }

std::string option_of_session(std::string_view key) {
    return key == "slots" ? "--slots" : key == "slots_per_gpu" ? "--slots-per-gpu" : "";
}

std::string list_of_changeable_keys() { return enumerate(changeable_keys(), " and "); }

}  // namespace crescendo::launch
