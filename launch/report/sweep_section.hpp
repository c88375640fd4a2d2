#pragma once

#include <string>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Where a page comes from.
enum class PageKind {
    file,    ///< a file of its own, which never changes
    served,  ///< a PageServer, which the page asks for changes
};

/// The section of a page about one sweep, as HTML. `sweep` is its sweep_data(); `index` is its index among the page's
/// sweeps. With `is_open`, the section is unfolded.
std::string sweep_section(const OrderedJson& sweep, std::size_t index, bool is_open, PageKind kind);

}  // namespace crescendo::launch
