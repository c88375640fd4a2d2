#include "launch/sweep_file/sections/entry.hpp"

#include <cmath>
#include <vector>

namespace crescendo::launch {

Entry Entry::or_else(const Entry& otherwise) const {
    Entry entry = *this;
    for (const auto& each : entry_texts) {
        if (!(entry.*each.text)) {
            entry.*each.text = otherwise.*each.text;
        }
    }
    if (!entry.cost_per_hour) {
        entry.cost_per_hour = otherwise.cost_per_hour;
    }
    for (const auto& [name, value] : otherwise.misc.items()) {
        entry.misc.emplace(name, OrderedJson(value));
    }
    return entry;
}

Entry read_entry(const YamlSection& section) {
    Entry entry;
    std::vector<std::string> names;
    for (const auto& each : entry_texts) {
        for (const char* name : {each.key, each.in_json}) {
            if (names.empty() || names.back() != name) {
                names.emplace_back(name);
            }
            section.attempt([&] {
                if (auto text = section.string(name)) {
                    entry.*each.text = std::move(text);
                }
            });
        }
    }
    names.insert(names.end(), {"cost_per_hour", "costPerHour", "misc"});
    section.allow(names);
    for (const char* name : {"cost_per_hour", "costPerHour"}) {
        section.attempt([&] {
            const auto cost = section.number(name);
            if (cost && (!std::isfinite(*cost) || *cost < 0)) {
                section.fail(name, "is not a price; write US dollars per hour, such as 24.48");
            }
            entry.cost_per_hour = cost ? cost : entry.cost_per_hour;
        });
    }
    section.attempt([&] {
        if (const auto misc = section.section("misc", "{dataset: public}")) {
            entry.misc = misc->map();
        }
    });
    return entry;
}

}  // namespace crescendo::launch
