#include "launch/sweep_file/command/nested_config.hpp"

#include <algorithm>

#include "launch/json/value_json.hpp"

namespace crescendo::launch {
namespace {

bool is_in(const std::string& name, const std::string& group) { return name.starts_with(group + "."); }

/// The parameters as a JSON object, in which each group is an object.
OrderedJson nest(const Config& config, const std::vector<std::string>& groups) {
    OrderedJson result = OrderedJson::object();
    for (const auto& [name, value] : config) {
        OrderedJson* place = &result;
        std::size_t begin = 0;
        for (const auto& group : groups) {
            if (is_in(name, group)) {
                place = &(*place)[group.substr(begin)];
                begin = group.size() + 1;
            }
        }
        (*place)[name.substr(begin)] = to_json(value);
    }
    return result;
}

/// Adds to `count` the values of `config` that are in `parameters`. Returns whether `parameters` has only such values.
bool count_values(const Json& parameters, const std::string& prefix, const Config& config, std::size_t& count) {
    for (const auto& [name, value] : parameters.items()) {
        const auto whole = prefix + name;
        const auto has_name = [&](const auto& each) { return each.first == whole; };
        if (const auto found = std::ranges::find_if(config, has_name); found != config.end()) {
            if (to_json(found->second) != value) {
                return false;
            }
            ++count;
        } else if (!value.is_object() || !count_values(value, whole + ".", config, count)) {
            return false;
        }
    }
    return true;
}

}  // namespace

Config nested(const Config& config, const std::vector<std::string>& groups) {
    if (groups.empty()) {
        return config;
    }
    const auto object = nest(config, groups);
    Config result;
    for (const auto& [name, value] : object.items()) {
        result.emplace_back(name, value_from_json(value));
    }
    return result;
}

bool has_values(const Json& parameters, const Config& config) {
    std::size_t count = 0;
    return count_values(parameters, "", config, count) && count == config.size();
}

}  // namespace crescendo::launch
