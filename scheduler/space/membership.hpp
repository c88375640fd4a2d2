#pragma once

#include <optional>
#include <string>

#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// The value of the distribution that a user means by `value`: 1 means 1.0 if the distribution has floating-point
/// numbers, and 2.0 means 2 if it has whole numbers. Nothing if the distribution never takes the value: it is out of
/// range, not a multiple of q, not listed, or listed with the probability 0.
std::optional<Value> member(const Distribution& distribution, const Value& value);

/// Which values a distribution has, as the end of a message: ": from 0 to 1". Empty if the ends say nothing.
std::string values_in_words(const Distribution& distribution);

/// As member(), for the parameter of this name. A value of a derived parameter, or of an unknown one, stays as it is.
/// Throws InvalidInput (key "config") that names the parameter if its distribution never takes the value.
Value member(const SearchSpace& space, const std::string& name, const Value& value);

/// The configuration of the space that a user means by `config`, in the order of the parameters and with the derived
/// ones. Throws InvalidInput (key "config") that names the first parameter whose value is outside of its distribution,
/// and whenever SearchSpace::in_order() does.
Config member(const SearchSpace& space, const Config& config);

}  // namespace crescendo
