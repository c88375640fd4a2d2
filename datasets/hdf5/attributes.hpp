#pragma once

#include <hdf5.h>

#include <optional>
#include <string>

namespace crescendo::datasets::hdf5 {

/// The text of an attribute that `object` has, fixed in length or not; nothing if it is no text, or several. Needs a
/// Session. Throws DamagedFile with `problem` if it cannot be read.
std::optional<std::string> text_of_attribute(hid_t object, const char* attribute, const std::string& problem);

}  // namespace crescendo::datasets::hdf5
