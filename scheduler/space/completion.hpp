#pragma once

#include <optional>

#include "core/random.hpp"
#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// A configuration with all values of `given`, which may lack some of the parameters.
///
/// The others have the values of `preferred`, which may lack some too. If the rules of the space do not allow that, all
/// others are drawn at random until they do. Nothing if SearchSpace::most_draws draws found nothing. Names and values of
/// `given` are parameters of the space, and theirs.
std::optional<Config> complete(const SearchSpace& space, const Config& given, const Config& preferred,
                               CounterRandom random);

}  // namespace crescendo
