#pragma once

#include <string>
#include <vector>

namespace crescendo::datasets {

/// What the linked HDF5 library, and our own reader around it, can do.
struct LibraryFacts {
    std::string version;  ///< "1.10.8"
    bool thread_safe = false;
    std::vector<std::string> built_in;  ///< filters that our threads undo: "deflate", "lzf", …
    std::vector<std::string> missing;   ///< filters that neither our code nor a plugin of the library can undo
};

LibraryFacts library_facts();

}  // namespace crescendo::datasets
