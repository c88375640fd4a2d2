#include "launch/sweep_file/sweep_parameters.hpp"

#include <fmt/format.h>

#include <string>

#include "launch/sweep_file/sweep_distribution.hpp"

namespace crescendo::launch {
namespace {

YamlSection read_parameter(const YamlSection& parameters, const std::string& name) {
    const auto& value = parameters.at(name);
    if (value.is_array()) {
        parameters.fail(name, fmt::format("this is a list; to choose from it write {0}: {{values: [...]}}", name));
    }
    if (value.is_primitive() && !value.is_null()) {
        parameters.fail(
            name, fmt::format("{}; for one fixed value write {}: {{value: {}}}", describe(value), name, value.dump()));
    }
    return parameters.section(name, "{min: 0.1, max: 0.9}").value();
}

}  // namespace

std::vector<Parameter> read_parameters(const YamlSection& section) {
    std::vector<Parameter> parameters;
    for (const auto& [name, value] : section.map().items()) {
        section.attempt([&, &name = name] {
            const auto parameter = read_parameter(section, name);
            if (parameter.has("parameters")) {
                parameter.fail("parameters",
                               "a parameter cannot hold others; move them up and give each a name of its own");
            }
            const auto distribution = read_distribution(parameter);
            check(distribution, parameter.key_of(""));
            parameters.push_back({name, distribution});
        });
    }
    return parameters;
}

}  // namespace crescendo::launch
