#pragma once

namespace crescendo::launch {

/// Where a page comes from.
enum class PageKind {
    file,    ///< a file of its own, which never changes
    served,  ///< a PageServer, which the page asks for changes
};

}  // namespace crescendo::launch
