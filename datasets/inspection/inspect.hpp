#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// What one data set of an HDF5 file is and takes; or a link elsewhere, which has only `path`, `type` and `link`.
struct DataSetInfo {
    /// Whether it has axes, one element, or no elements at all.
    enum class Space { simple, scalar, null };

    std::string path = {};  ///< inside the file, "/train/inputs"
    std::string type = {};  ///< "uint8", "float32, big-endian", "string"; "soft link", "external link"
    Space space = Space::simple;
    std::vector<std::int64_t> shape = {};   ///< empty for a scalar
    std::vector<std::int64_t> chunk = {};   ///< shape of a chunk; empty where the layout is not chunked
    std::vector<std::string> filters = {};  ///< in the order they are applied when writing: "shuffle", "deflate"
    std::int64_t samples = 0;               ///< length of the first axis; 0 for a scalar
    std::int64_t bytes = 0;                 ///< of all elements
    std::int64_t stored_bytes = 0;          ///< what they take in the file; less if compressed or not yet written
    std::string packing = {};               ///< "x * 0.01 + 273.15, missing -32768" where its attributes say so
    std::string link = {};                  ///< where a link leads: "/x", "other.h5:/x"; empty for a data set
    std::string problem = {};               ///< why the object cannot be described or read; empty where all is well
};

/// Every data set that a chain of groups leads to, and every link, in alphabetical order of each group's members. Soft
/// links and links to other files are not followed. Throws InvalidInput where `file` is not HDF5; an object inside that
/// is damaged is listed with its `problem`.
std::vector<DataSetInfo> inspect(const std::filesystem::path& file);

}  // namespace crescendo::datasets
