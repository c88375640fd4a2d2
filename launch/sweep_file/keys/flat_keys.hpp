#pragma once

#include <map>
#include <string>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The content of a sweep file, independent of its layout: dotted keys, with their values as text that YAML reads back.
/// A list is one value.
using FlatKeys = std::map<std::string, std::string>;

FlatKeys flat_keys(const OrderedJson& document);

}  // namespace crescendo::launch
