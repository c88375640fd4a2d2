#include "launch/sweep_file/sections/stop_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace crescendo::launch {

std::vector<std::string> read_plugins(const YamlSection& file) {
    auto plugins = file.strings("plugins", "[build/libmine.so]").value_or(std::vector<std::string>{});
    for (std::size_t i = 0; i < plugins.size(); ++i) {
        const auto key = fmt::format("plugins[{}]", i);
        const auto here = plugins.begin() + static_cast<std::ptrdiff_t>(i);
        if (file.mistakes().lie_in(key)) {
            continue;
        }
        if (plugins[i].empty()) {
            file.mistakes().add(key, "is empty; write the path of a shared library: ./libmine.so");
        } else if (std::find(plugins.begin(), here, plugins[i]) != here) {
            file.mistakes().add(key, "is already in the list; remove it here");
        }
    }
    return plugins;
}

std::optional<StopRuleSpec> read_stop_rule(const YamlSection& file) {
    if (!file.has("stop_rule")) {
        return {};
    }
    StopRuleSpec rule;
    if (file.at("stop_rule").is_string()) {
        rule.type = file.string("stop_rule").value();
    } else {
        const auto section = file.section("stop_rule", "{type: plateau}").value();
        section.allow({"type", "options", "deadline"});
        rule.type = section.string("type").value_or("");
        rule.options = read_options(section);
        rule.deadline = read_deadline(section).value_or(rule.deadline);
    }
    if (rule.type.empty()) {
        file.fail("stop_rule", "names no plug-in class; write stop_rule: plateau");
    }
    if (!file.has("plugins")) {
        file.fail("stop_rule", fmt::format("is {}, a plug-in class, but there is no plug-in; add plugins: "
                                           "[./libmine.so] (docs/plugins.md)",
                                           rule.type));
    }
    return rule;
}

OrderedJson read_options(const YamlSection& section) {
    const auto options = section.section("options", "{step: 0.1}");
    return options ? options->map() : OrderedJson::object();
}

std::optional<std::chrono::seconds> read_deadline(const YamlSection& section) {
    return section.duration("deadline", "a time limit for an answer; write it like 60s, 5m or 1h");
}

}  // namespace crescendo::launch
