#pragma once

#include <optional>
#include <string>

#include "core/random.hpp"
#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// A configuration with all values of `given`, which may lack some of the parameters.
///
/// The others have the values of `preferred`, which may lack some too. If the rules of the space do not allow that, all
/// others are drawn at random until they do. Nothing if SearchSpace::most_draws draws found nothing. Names and values
/// of `given` are parameters of the space, and theirs.
std::optional<Config> complete(const SearchSpace& space, const Config& given, const Config& preferred,
                               CounterRandom random);

/// Why complete() finds nothing for `given`, for the user who gave them: "no trial may begin with these values: they
/// break the constraint a <= b (…); give other values, or more of them". It names the rule that most draws of the other
/// parameters break.
std::string why_incomplete(const SearchSpace& space, const Config& given, CounterRandom random);

}  // namespace crescendo
