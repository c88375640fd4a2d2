#pragma once

#include <string>

#include "launch/import/import_formats.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "tests/contains.hpp"
#include "tests/error_of.hpp"

namespace crescendo::tests {

/// The sweep file that is made from `text`. It must be valid.
inline std::string imported(const std::string& text, const std::string& name = "file.yaml") {
    auto sweep = launch::text_of(launch::import_file({name, text}), name);
    launch::parse_sweep(sweep, "imported.yaml");
    return sweep;
}

inline std::string import_error(const std::string& text) {
    return error_of([&] { imported(text); });
}

}  // namespace crescendo::tests
