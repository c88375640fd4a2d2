#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

namespace crescendo::datasets::hdf5 {

/// The text of an attribute that `object` has, fixed in length or not; nothing if it is no text, or several. Needs a
/// Session. Throws DamagedFile with `problem` if it cannot be read.
std::optional<std::string> text_of_attribute(hid_t object, const char* attribute, const std::string& problem);

/// The texts of an attribute that is a list of them, fixed in length or not; none if `object` has no such list. Needs a
/// Session. Throws DamagedFile with `problem` if it cannot be read.
std::vector<std::string> texts_of_attribute(hid_t object, const char* attribute, const std::string& problem);

/// Gives `object` a list of texts as an attribute, in place of one of this name. Needs a Session. Throws as check()
/// does, with `problem`.
void write_texts(hid_t object, const char* attribute, const std::vector<std::string>& texts,
                 const std::string& problem);

}  // namespace crescendo::datasets::hdf5
