#include "scheduler/space/search_space.hpp"

#include <algorithm>
#include <set>

#include "core/check.hpp"

namespace crescendo {
SearchSpace::SearchSpace(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
    std::set<std::string> names;
    for (const auto& [name, distribution] : parameters_) {
        const std::string key = "parameters." + name;
        CRESCENDO_VALIDATE(names.insert(name).second, key,
                           "parameter {} is given twice (a trial has one value of it); remove one", name);
        check(distribution, key);
    }
}

int SearchSpace::num_dimensions() const {
    return static_cast<int>(std::count_if(parameters_.begin(), parameters_.end(), [](const Parameter& parameter) {
        return !is_constant(parameter.distribution);
    }));
}

Config SearchSpace::at(const std::vector<double>& point) const {
    CRESCENDO_EXPECT(point.size() == static_cast<std::size_t>(num_dimensions()));
    auto coordinate = point.begin();
    Config config;
    config.reserve(parameters_.size());
    for (const auto& [name, distribution] : parameters_) {
        if (is_constant(distribution)) {
            config.emplace_back(name, value_at(distribution, 0));
        } else {
            CRESCENDO_EXPECT(*coordinate >= 0 && *coordinate < 1);
            config.emplace_back(name, value_at(distribution, *coordinate++));
        }
    }
    return config;
}

Config SearchSpace::sample(CounterRandom random) const {
    Config config;
    for (const auto& [name, distribution] : parameters_) {
        config.emplace_back(name, draw(distribution, random));
    }
    return config;
}

Config SearchSpace::in_order(const Config& config) const {
    Config ordered;
    ordered.reserve(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto& name = parameters_[i].name;
        const auto has_name = [&](const auto& value) { return value.first == name; };
        const bool is_in_place = i < config.size() && has_name(config[i]);
        const auto found = is_in_place ? config.begin() + static_cast<std::ptrdiff_t>(i)
                                       : std::find_if(config.begin(), config.end(), has_name);
        CRESCENDO_VALIDATE(found != config.end(), "config",
                           "a configuration lacks the parameter {} (a trial has a value of each); add it", name);
        ordered.push_back(*found);
    }
    CRESCENDO_VALIDATE(config.size() == parameters_.size(), "config",
                       "a configuration has {} values and the sweep {} parameters; leave out what is no parameter",
                       config.size(), parameters_.size());
    return ordered;
}

}  // namespace crescendo
