#pragma once

#include <optional>
#include <string>

#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// The value of the distribution that somebody means by `value`: 1 stands for 1.0 where numbers are searched, and 2.0
/// for 2 where whole numbers are. Nothing if the distribution never takes it: it is out of range, no multiple of q, not
/// listed, or listed with the probability 0.
std::optional<Value> member(const Distribution& distribution, const Value& value);

/// Which values a distribution has, as the end of a message: ": from 0 to 1". Empty where the ends say nothing.
std::string values_in_words(const Distribution& distribution);

/// As member(), for the parameter of this name. A value of a derived parameter, or of one that is not there, stays as
/// it is. Throws InvalidInput (key "config") that names the parameter where there is nothing.
Value member(const SearchSpace& space, const std::string& name, const Value& value);

/// The configuration of the space that somebody means by `config`, in the order of the parameters and with the derived
/// ones. Throws InvalidInput (key "config") that names the first parameter whose value is outside of its distribution,
/// and where SearchSpace::in_order() does.
Config member(const SearchSpace& space, const Config& config);

}  // namespace crescendo
