#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

namespace crescendo::datasets::hdf5 {

/// Whether `object` has the attribute. Needs a Session. Throws as fail() does if that cannot be read.
bool has_attribute(hid_t object, const char* attribute);

/// The text of an attribute of `object`, of fixed or variable length; none if it is not text, or has several texts.
/// Needs a Session. Throws DamagedFile with `problem` if it cannot be read.
std::optional<std::string> text_of_attribute(hid_t object, const char* attribute, const std::string& problem);

/// The texts of an attribute that is a list of texts, of fixed or variable length; empty if `object` has no such list.
/// Needs a Session. Throws DamagedFile with `problem` if it cannot be read.
std::vector<std::string> texts_of_attribute(hid_t object, const char* attribute, const std::string& problem);

/// Writes a list of texts as an attribute of `object`, replacing one of the same name. Needs a Session. Throws as
/// check() does, with `problem`.
void write_texts(hid_t object, const char* attribute, const std::vector<std::string>& texts,
                 const std::string& problem);

}  // namespace crescendo::datasets::hdf5
