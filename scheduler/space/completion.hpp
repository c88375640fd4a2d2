#pragma once

#include <optional>
#include <string>

#include "core/random.hpp"
#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// A configuration with all values of `given`, which may lack some of the parameters.
///
/// The other parameters get the values of `preferred`, which may also lack some. If the rules of the space do not allow
/// that, all other parameters are drawn at random until the rules do. Nothing if SearchSpace::most_draws draws found
/// nothing. The names in `given` must be parameters of the space, with values that they can have.
std::optional<Config> complete(const SearchSpace& space, const Config& given, const Config& preferred,
                               CounterRandom random);

/// Why complete() finds nothing for `given`, as a message for the user who gave these values: "no trial can start with
/// these values: they break the constraint a <= b (…); give other values, or values for more parameters". It names the
/// rule that most draws of the other parameters break.
std::string why_incomplete(const SearchSpace& space, const Config& given, CounterRandom random);

}  // namespace crescendo
