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
/// A parameter whose condition does not hold is absent: configurations have no entry of its name.
class SearchSpace {
  public:
    SearchSpace() = default;

    /// Throws InvalidInput (key "parameters.<name>") on a name given twice, and where check() does; and the first of
    /// the problems that Rules finds.
    explicit SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {});

    const std::vector<Parameter>& parameters() const { return parameters_; }
    const Rules& rules() const { return rules_; }

    /// Number of parameters that can vary, whether or not they are always there: all but constants and derived ones.
    int num_dimensions() const;

    /// The configuration at a point of the unit cube [0, 1)^num_dimensions(). Each coordinate chooses the value of one
    /// parameter, in their order; numbers grow with it. The coordinate of a parameter that is absent does nothing.
    /// Uniform points give configurations distributed as the parameters say. So samplers choose points, and know no
    /// distribution. Nothing if a constraint does not allow it, or a rule has no result there.
    std::optional<Config> at(const std::vector<double>& point) const;

    /// The point of a configuration: the inverse of at(). Nothing in the place of a parameter that is absent, or has a
    /// value that is not of its distribution.
    std::vector<std::optional<double>> point_of(const Config& config) const;

    /// The configuration with one value for each parameter, and none for a derived one. Nothing where at() has nothing.
    std::optional<Config> with_values(std::vector<std::optional<Value>> values) const;

    /// A random configuration. Like at() of a random point, but whole numbers and choices are drawn from 64 bits
    /// instead of a coordinate's 53. It is drawn again from the numbers that follow until all constraints allow it.
    /// A parameter added at the end leaves the values of the first draw as they were. Throws InvalidInput with the key
    /// of the rule that refused most draws if `most_draws` are refused.
    Config sample(CounterRandom random) const;

    /// One value for each parameter, without rules: the first draw of sample(), which leaves `random` behind it.
    std::vector<std::optional<Value>> draw_all(CounterRandom& random) const;

    /// `config` with its values in the order of the parameters, and with the derived ones that it lacks. Throws
    /// InvalidInput (key "config") unless it has every parameter once that its other values leave there, and nothing
    /// else, or if a constraint does not allow it.
    Config in_order(const Config& config) const;

    /// The most draws for one configuration: where one in ten thousand is allowed, hardly any search fails.
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
    std::shared_ptr<const Coordinates> coordinates_;  // of the values of each parameter, if they are listed
};

}  // namespace crescendo
