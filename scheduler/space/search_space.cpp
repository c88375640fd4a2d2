#include "scheduler/space/search_space.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "core/check.hpp"
#include "core/spelling.hpp"

namespace crescendo {

SearchSpace::SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& constraints)
    : parameters_(std::move(parameters)) {
    std::set<std::string> names;
    Coordinates coordinates;
    for (const auto& parameter : parameters_) {
        const std::string key = "parameters." + parameter.name;
        CRESCENDO_VALIDATE(names.insert(parameter.name).second, key,
                           "parameter {} is given twice (a trial has one value of it); remove one", parameter.name);
        check(parameter.distribution, key);
        const auto* listed = std::get_if<Categorical>(&parameter.distribution);
        coordinates.push_back(listed != nullptr ? coordinates_of(*listed) : std::map<Value, double>());
    }
    coordinates_ = std::make_shared<const Coordinates>(std::move(coordinates));
    std::vector<ExpressionError> problems;
    rules_ = Rules(parameters_, constraints, problems);
    if (!problems.empty()) {
        throw problems.front();
    }
}

int SearchSpace::num_dimensions() const {
    return static_cast<int>(std::count_if(parameters_.begin(), parameters_.end(), [](const Parameter& parameter) {
        return !is_constant(parameter.distribution);
    }));
}

std::optional<Config> SearchSpace::at(const std::vector<double>& point) const {
    CRESCENDO_EXPECT(point.size() == static_cast<std::size_t>(num_dimensions()));
    auto coordinate = point.begin();
    std::vector<std::optional<Value>> drawn;
    drawn.reserve(parameters_.size());
    for (const auto& parameter : parameters_) {
        if (parameter.is_derived()) {
            drawn.emplace_back();
        } else if (is_constant(parameter.distribution)) {
            drawn.emplace_back(value_at(parameter.distribution, 0));
        } else {
            CRESCENDO_EXPECT(*coordinate >= 0 && *coordinate < 1);
            drawn.emplace_back(value_at(parameter.distribution, *coordinate++));
        }
    }
    return with_values(std::move(drawn));
}

std::vector<std::optional<double>> SearchSpace::point_of(const Config& config) const {
    std::vector<std::optional<double>> point;
    auto next = config.begin();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto& parameter = parameters_[i];
        const bool is_there = next != config.end() && next->first == parameter.name;
        if (!is_constant(parameter.distribution)) {
            point.push_back(is_there ? coordinate_of(i, next->second) : std::nullopt);
        }
        next += is_there;
    }
    return point;
}

std::optional<double> SearchSpace::coordinate_of(std::size_t parameter, const Value& value) const {
    const auto& listed = (*coordinates_)[parameter];
    if (listed.empty()) {
        return crescendo::coordinate_of(parameters_[parameter].distribution, value);
    }
    const auto found = listed.find(value);
    return found == listed.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Config> SearchSpace::with_values(std::vector<std::optional<Value>> values) const {
    try {
        auto assignment = rules_.apply(std::move(values));
        return rules_.broken(assignment) ? std::nullopt : std::optional(config_of(std::move(assignment)));
    } catch (const ExpressionError&) {
        return {};
    }
}

std::vector<std::optional<Value>> SearchSpace::draw_all(CounterRandom& random) const {
    std::vector<std::optional<Value>> drawn;
    drawn.reserve(parameters_.size());
    for (const auto& parameter : parameters_) {
        drawn.push_back(parameter.is_derived() ? std::nullopt : std::optional(draw(parameter.distribution, random)));
    }
    return drawn;
}

Config SearchSpace::sample(CounterRandom random) const {
    if (rules_.empty()) {
        Config config;
        config.reserve(parameters_.size());
        for (const auto& parameter : parameters_) {
            config.emplace_back(parameter.name, draw(parameter.distribution, random));
        }
        return config;
    }
    std::map<std::string, int> refusals;  // by the key of the rule
    for (int i = 0; i < most_draws; ++i) {
        try {
            auto assignment = rules_.apply(draw_all(random));
            if (const auto broken = rules_.broken(assignment)) {
                ++refusals[constraint_key(*broken)];
            } else {
                return config_of(std::move(assignment));
            }
        } catch (const ExpressionError& error) {
            ++refusals[error.key()];
        }
    }
    const auto most = std::max_element(refusals.begin(), refusals.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    throw InvalidInput(text("none of {} draws is allowed, and {} rejects {} of them; loosen it, or change the ranges "
                            "of its parameters",
                            most_draws, most->first, most->second),
                       most->first);
}

Config SearchSpace::in_order(const Config& config) const {
    auto values = given(config);
    std::vector<bool> is_given;
    is_given.reserve(values.size());
    for (const auto& value : values) {
        is_given.push_back(value.has_value());
    }
    try {
        auto assignment = rules_.apply(std::move(values));
        check_presence(assignment, is_given);
        check_constraints(assignment);
        return config_of(std::move(assignment));
    } catch (const ExpressionError& error) {
        throw InvalidInput(text("in a configuration, {} has no result, because it {}", error.key(), error.what()),
                           "config");
    }
}

/// Throws InvalidInput about the first name in `config` that is not a parameter, or that is given twice.
void SearchSpace::refuse_names(const Config& config) const {
    const auto names = names_of(parameters_);
    for (auto each = config.begin(); each != config.end(); ++each) {
        const auto& name = each->first;
        CRESCENDO_VALIDATE(std::ranges::find(names, name) != names.end(), "config",
                           "a configuration has '{}', but there is no such parameter{}; leave it out", name,
                           did_you_mean(name, names));
        CRESCENDO_VALIDATE(
            std::find_if(config.begin(), each, [&](const auto& other) { return other.first == name; }) == each,
            "config", "a configuration has '{}' twice; leave one out", name);
    }
}

/// The value that `config` has for each parameter; nothing for those that it lacks.
std::vector<std::optional<Value>> SearchSpace::given(const Config& config) const {
    std::vector<std::optional<Value>> values;
    values.reserve(parameters_.size());
    std::size_t num_found = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto has_name = [&](const auto& value) { return value.first == parameters_[i].name; };
        const bool is_in_place = num_found < config.size() && has_name(config[num_found]);
        const auto found = is_in_place ? config.begin() + static_cast<std::ptrdiff_t>(num_found)
                                       : std::find_if(config.begin(), config.end(), has_name);
        const bool is_there = found != config.end();
        values.push_back(is_there ? std::optional(found->second) : std::nullopt);
        num_found += is_there;
    }
    if (config.size() != num_found) {
        refuse_names(config);
    }
    return values;
}

void SearchSpace::check_presence(const Assignment& assignment, const std::vector<bool>& is_given) const {
    for (const auto i : rules_.order()) {
        const auto& parameter = parameters_[i];
        CRESCENDO_VALIDATE(assignment.is_active[i] || !is_given[i], "config",
                           "a configuration has the parameter {}, but its other values exclude it{}; leave it out",
                           parameter.name,
                           parameter.when.empty() ? std::string() : text(", because it needs {}", parameter.when));
        CRESCENDO_VALIDATE(!assignment.is_active[i] || assignment.values[i], "config",
                           "a configuration lacks the parameter {} (a trial has a value for each{}); add it",
                           parameter.name, rules_.empty() ? "" : " that its other values allow");
    }
}

void SearchSpace::check_constraints(const Assignment& assignment) const {
    if (const auto broken = rules_.broken(assignment)) {
        throw InvalidInput(text("a configuration breaks the constraint {} (no trial may); change its values",
                                rules_.constraints()[*broken].text()),
                           "config");
    }
}

Config SearchSpace::config_of(Assignment assignment) const {
    Config config;
    config.reserve(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (assignment.is_active[i]) {
            config.emplace_back(parameters_[i].name, *std::move(assignment.values[i]));
        }
    }
    return config;
}

}  // namespace crescendo
