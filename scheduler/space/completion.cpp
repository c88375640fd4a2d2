#include "scheduler/space/completion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace crescendo {
namespace {

const Value* find(const Config& config, const std::string& name) {
    const auto found = std::ranges::find(config, name, &Config::value_type::first);
    return found == config.end() ? nullptr : &found->second;
}

/// `values` with those of `config` in their places. Derived ones follow from the others.
void put(const Config& config, const SearchSpace& space, std::vector<std::optional<Value>>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto& parameter = space.parameters()[i];
        if (const auto* value = find(config, parameter.name); value != nullptr && !parameter.is_derived()) {
            values[i] = *value;
        }
    }
}

std::optional<Config> allowed(const SearchSpace& space, const Config& given,
                              std::vector<std::optional<Value>> values) {
    put(given, space, values);
    auto config = space.with_values(std::move(values));
    const bool has_all = config && std::ranges::all_of(given, [&](const auto& each) {
        return find(*config, each.first) != nullptr;
    });
    return has_all ? std::move(config) : std::nullopt;
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

}  // namespace crescendo
