#include "scheduler/space/completion.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace crescendo {
namespace {

const Value* find(const Config& config, const std::string& name) {
    const auto found = std::ranges::find(config, name, &Config::value_type::first);
    return found == config.end() ? nullptr : &found->second;
}

/// Puts the values of `config` into `values`, except derived ones, which follow from the others.
void put(const Config& config, const SearchSpace& space, std::vector<std::optional<Value>>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto& parameter = space.parameters()[i];
        if (const auto* value = find(config, parameter.name); value != nullptr && !parameter.is_derived()) {
            values[i] = *value;
        }
    }
}

std::optional<Config> allowed(const SearchSpace& space, const Config& given, std::vector<std::optional<Value>> values) {
    put(given, space, values);
    auto config = space.with_values(std::move(values));
    const bool has_all =
        config && std::ranges::all_of(given, [&](const auto& each) { return find(*config, each.first) != nullptr; });
    return has_all ? std::move(config) : std::nullopt;
}

/// The first rule that keeps these values from being a configuration with all of `given`.
std::string broken_rule(const SearchSpace& space, const Config& given, std::vector<std::optional<Value>> values) {
    try {
        const auto assignment = space.rules().apply(std::move(values));
        for (std::size_t i = 0; i < space.parameters().size(); ++i) {
            const auto& [name, distribution, when, expression] = space.parameters()[i];
            if (!assignment.is_active[i] && find(given, name) != nullptr) {
                return name + (when.empty() ? " is absent with the other values" : " needs " + when);
            }
        }
        if (const auto constraint = space.rules().broken(assignment)) {
            return "they break the constraint " + space.rules().constraints()[*constraint].text();
        }
        return "they are allowed";
    } catch (const ExpressionError& error) {
        return error.key() + " has no result, because it " + error.what();
    }
}

}  // namespace

std::optional<Config> complete(const SearchSpace& space, const Config& given, const Config& preferred,
                               CounterRandom random) {
    auto first_draw = random;
    auto values = space.draw_all(first_draw);
    put(preferred, space, values);
    if (auto config = allowed(space, given, std::move(values))) {
        return config;
    }
    for (int draw = 0; draw < SearchSpace::most_draws; ++draw) {
        if (auto config = allowed(space, given, space.draw_all(random))) {
            return config;
        }
    }
    return {};
}

std::string why_incomplete(const SearchSpace& space, const Config& given, CounterRandom random) {
    constexpr int num_draws = 1000;
    std::map<std::string, int> broken;
    for (int draw = 0; draw < num_draws; ++draw) {
        auto values = space.draw_all(random);
        put(given, space, values);
        ++broken[broken_rule(space, given, std::move(values))];
    }
    const auto most = std::ranges::max_element(broken, {}, &std::pair<const std::string, int>::second);
    return "no trial can start with these values: " +
           (most->second < num_draws ? "in most draws of the others, " + most->first : most->first) + " (tried with " +
           std::to_string(SearchSpace::most_draws) +
           " draws of the other parameters); give other values, or values for more parameters";
}

}  // namespace crescendo
