#pragma once

namespace crescendo::launch {

/// What a page is shown from.
enum class PageKind {
    file,    ///< it stands alone, and never changes
    served,  ///< a PageServer, which it asks for changes
};

}  // namespace crescendo::launch
