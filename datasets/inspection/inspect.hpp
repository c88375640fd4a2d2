#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// One data set of an HDF5 file: its type, shape and size. Or a link, which has only `path`, `type` and `link`.
struct DataSetInfo {
    /// Whether the data set has axes, one element, or no elements at all.
    enum class Space { simple, scalar, null };

    std::string path = {};  ///< path inside the file, such as "/train/inputs"
    std::string type = {};  ///< "uint8", "float32, big-endian", "string"; "soft link", "external link"
    Space space = Space::simple;
    std::vector<std::int64_t> shape = {};   ///< length of each axis; empty for a scalar
    std::vector<std::int64_t> chunk = {};   ///< shape of a chunk; empty if the layout is not chunked
    std::vector<std::string> filters = {};  ///< filters in the order of writing: "shuffle", "deflate"
    std::int64_t bytes = 0;                 ///< size of all elements
    std::int64_t stored_bytes = 0;          ///< size in the file; less if compressed or not yet written
    std::string packing = {};               ///< "x * 0.01 + 273.15, missing -32768" if its attributes say so
    std::string link = {};                  ///< target of a link: "/x", "other.h5:/x"; empty for a data set
    std::string problem = {};               ///< why the object cannot be described or read; empty if it can
};

/// Lists every data set that a chain of groups leads to, and every link; the members of each group are in alphabetical
/// order. Does not follow soft links or links to other files. Throws InvalidInput if `file` is not HDF5. Lists a
/// damaged object inside with its `problem`.
std::vector<DataSetInfo> inspect(const std::filesystem::path& file);

}  // namespace crescendo::datasets
