#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/value.hpp"
#include "scheduler/space/parameter.hpp"
#include "scheduler/space/rules.hpp"

namespace crescendo {

/// The parameters of a sweep, in the order of its file, and the rules by which they depend on each other.
///
/// A parameter whose condition does not hold is absent: such configurations have no entry with its name.
class SearchSpace {
  public:
    SearchSpace() = default;

    /// Throws InvalidInput (key "parameters.<name>") if a name is given twice or check() throws. Throws the first of
    /// the problems that Rules finds.
    explicit SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {});

    const std::vector<Parameter>& parameters() const { return parameters_; }
    const Rules& rules() const { return rules_; }

    /// Number of parameters that can vary, also those that may be absent: all but constants and derived ones.
    int num_dimensions() const;

    /// The configuration at a point of the unit cube [0, 1)^num_dimensions(). Each coordinate chooses the value of one
    /// parameter, in their order; numbers grow with it. The coordinate of an absent parameter has no effect. Uniform
    /// points give configurations that are distributed as the parameters say, so samplers choose points, and know no
    /// distributions. Nothing if a constraint does not allow the configuration, or if a rule has no result there.
    std::optional<Config> at(const std::vector<double>& point) const;

    /// The point of a configuration: the inverse of at(). The coordinate is missing for a parameter that is absent, or
    /// has a value outside of its distribution.
    std::vector<std::optional<double>> point_of(const Config& config) const;

    /// The configuration with these values: one for each parameter, but none for derived ones. Nothing if a constraint
    /// does not allow it, or if a rule has no result.
    std::optional<Config> with_values(std::vector<std::optional<Value>> values) const;

    /// A random configuration. Like at() of a random point, but whole numbers and choices are drawn from 64 bits
    /// instead of a coordinate's 53. Draws again, from the numbers that follow, until all constraints allow the
    /// configuration. A parameter added at the end does not change the other values of the first draw. Throws
    /// InvalidInput if `most_draws` draws are refused, with the key of the rule that refused most of them.
    Config sample(CounterRandom random) const;

    /// One value for each parameter, without rules: the first draw of sample(). `random` continues after it.
    std::vector<std::optional<Value>> draw_all(CounterRandom& random) const;

    /// `config` with its values in the order of the parameters, and with the derived ones that it lacks. Throws
    /// InvalidInput (key "config") if it lacks a parameter that its other values leave present, if it has a name twice
    /// or anything else, or if a constraint does not allow it.
    Config in_order(const Config& config) const;

    /// The most draws for one configuration: if one in ten thousand is allowed, hardly any search fails.
    static constexpr int most_draws = 200'000;

  private:
    std::optional<double> coordinate_of(std::size_t parameter, const Value& value) const;
    void refuse_names(const Config& config) const;
    std::vector<std::optional<Value>> given(const Config& config) const;
    void check_presence(const Assignment& assignment, const std::vector<bool>& is_given) const;
    void check_constraints(const Assignment& assignment) const;
    Config config_of(Assignment assignment) const;

    using Coordinates = std::vector<std::map<Value, double>>;

    std::vector<Parameter> parameters_;
    Rules rules_;
    std::shared_ptr<const Coordinates> coordinates_;  // by parameter: the coordinates of its values, if they are listed
};

}  // namespace crescendo
