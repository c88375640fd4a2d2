#include "launch/sweep_file/search/sweep_parameters.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "launch/sweep_file/search/sweep_distribution.hpp"
#include "launch/sweep_file/search/sweep_rules.hpp"

namespace crescendo::launch {
namespace {

/// What to write instead of a call from another tool, such as "loguniform(1e-4, 1e-1)"; "" if the text is not such a
/// call.
std::string remedy_for_call(const std::string& name, const std::string& text) {
    static const RE2 call(R"(\s*(?:\w+\.)*(\w+)\(\s*(.*?)\s*\)\s*)");
    static const RE2 two_numbers(R"(([-+.\w]+)\s*,\s*([-+.\w]+))");
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> distributions{
        {{"uniform", "uniform"},
         {"loguniform", "log_uniform_values"},
         {"log_uniform", "log_uniform_values"},
         {"quniform", "q_uniform"},
         {"qloguniform", "q_log_uniform_values"},
         {"interval", "uniform"},
         {"randint", "int_uniform"}}};
    std::string function;
    std::string arguments;
    if (!RE2::FullMatch(text, call, &function, &arguments)) {
        return {};
    }
    constexpr auto by_import = "`crescendo import` translates whole files of other tools";
    if (function == "choice" || function == "grid_search") {
        const bool is_list = arguments.starts_with('[');
        return fmt::format("write {}: {{values: {}{}{}}}; {}", name, is_list ? "" : "[", arguments, is_list ? "" : "]",
                           by_import);
    }
    const auto* const found = std::ranges::find(distributions, function, [](const auto& each) { return each.first; });
    if (found == distributions.end()) {
        return {};
    }
    std::string min = "…";
    std::string max = "…";
    if (function != "randint") {  // its upper end is not among the values
        RE2::FullMatch(arguments, two_numbers, &min, &max);
    }
    return fmt::format("write {}: {{distribution: {}, min: {}, max: {}{}}}; {}", name, found->second, min, max,
                       function.starts_with('q') ? ", q: …" : "", by_import);
}

YamlSection read_parameter(const YamlSection& parameters, const std::string& name) {
    const auto& value = parameters.at(name);
    if (value.is_array()) {
        parameters.fail(name, fmt::format("this is a list; to choose from it write {0}: {{values: [...]}}", name));
    }
    if (value.is_string()) {
        if (const auto remedy = remedy_for_call(name, value.get<std::string>()); !remedy.empty()) {
            parameters.fail(name, fmt::format("{}; {}", describe(value), remedy));
        }
    }
    if (value.is_primitive() && !value.is_null()) {
        parameters.fail(
            name, fmt::format("{}; for one fixed value write {}: {{value: {}}}", describe(value), name, value.dump()));
    }
    return parameters.section(name, "{min: 0.1, max: 0.9}").value();
}

/// Rejects a section of the file that was indented too far, and so looks like a parameter.
void require_parameter(const YamlSection& parameter, const std::string& name) {
    constexpr std::array<std::pair<std::string_view, const char*>, 4> keys_of_sections{
        {{"metric", "name"}, {"scheduler", "type"}, {"early_terminate", "type"}, {"trainer", "data"}}};
    for (const auto& [section, key] : keys_of_sections) {
        if (name == section && parameter.has(key)) {
            parameter.fail("", fmt::format("this is the section `{}`, which belongs next to `parameters`, not inside "
                                           "it; start it at the left margin",
                                           name));
        }
    }
}

/// Rejects maps in a parameter without `parameters:`. They were meant as parameters inside this one.
void require_no_inner(const YamlSection& parameter, const std::string& name) {
    const auto looks_like_one = [](const OrderedJson& value) {
        constexpr std::array keys{"distribution", "min", "max", "values", "value", "expression", "parameters"};
        return value.is_object() && std::ranges::any_of(keys, [&](const char* key) { return value.contains(key); });
    };
    for (const auto& [inner, value] : parameter.map().items()) {
        if (looks_like_one(value) && inner != "values" && inner != "value" && inner != "<<") {
            parameter.fail(inner, fmt::format("is a map, but not a key of a parameter; if {0} holds other parameters, "
                                              "put them under {0}: {{parameters: {{{1}: …}}}}; for an option named "
                                              "{0}.{1}, write {0}.{1}:",
                                              name, inner));
        }
    }
}

/// Reads a parameter that holds no others.
Parameter read_one(const YamlSection& parameter, const std::string& name) {
    const auto when = parameter.has("when") ? read_expression(parameter, "when") : "";
    if (parameter.has("expression")) {
        parameter.allow({"expression", "when"});
        return derived_parameter(name, read_expression(parameter, "expression"), when);
    }
    const auto distribution = read_distribution(parameter);
    check(distribution, parameter.key_of(""));
    return {name, distribution, when};
}

/// A condition that holds if both do. An empty condition always holds.
std::string both(const std::string& a, const std::string& b) {
    return a.empty() || b.empty() ? a + b : fmt::format("({}) and ({})", a, b);
}

/// Reads the entries of `section`. Their names get the prefix `prefix`, and they exist only if `when` holds.
void read_entries(const YamlSection& section, const std::string& prefix, const std::string& when,
                  ParametersSection& result) {
    for (const auto& [name, value] : section.map().items()) {
        section.attempt([&, &name = name] {
            if (name == "<<") {
                section.fail(name, "is YAML's merge key, which is not supported; write out its keys");
            }
            const auto parameter = read_parameter(section, name);
            if (prefix.empty()) {
                require_parameter(parameter, name);
            }
            if (!parameter.has("parameters")) {
                require_no_inner(parameter, prefix + name);
                auto& read = result.parameters.emplace_back(read_one(parameter, prefix + name));
                read.when = both(when, read.when);
                if (auto doubt = doubt_about_distribution(parameter)) {
                    result.remarks.push_back({parameter.key_of(""), std::move(*doubt)});
                }
                return;
            }
            parameter.allow({"parameters", "when"});
            const auto own = parameter.has("when") ? read_expression(parameter, "when") : "";
            const auto inner = parameter.section("parameters", "{lr: {min: 0.001, max: 0.1}}").value();
            if (inner.map().empty()) {
                parameter.fail("parameters", "is empty; list the parameters that this one holds, or remove it");
            }
            result.groups.push_back(prefix + name);
            read_entries(inner, prefix + name + ".", both(when, own), result);
        });
    }
}

}  // namespace

ParametersSection read_parameters(const YamlSection& section) {
    ParametersSection result;
    read_entries(section, "", "", result);
    return result;
}

}  // namespace crescendo::launch
