#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/sources/image_folder.hpp"
#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// What the sources themselves do not specify.
struct SourceOptions {
    std::optional<ElementType> type = {};  ///< type of bare numbers, and of the inputs in CSV
    std::vector<std::int64_t> shape = {};  ///< shape of one sample of bare numbers
    std::optional<ElementType> target_type = {};
    std::vector<std::int64_t> target_shape = {};
    std::vector<std::string> target_columns = {};  ///< target columns of CSV
    ImageOptions images = {};
};

/// Opens the sources of a conversion. Two sources are inputs and targets. Each is a file FILE.npy, an array
/// FILE.npz:NAME, an IDX file, or, if its type is given, a file or a folder of files of bare numbers. A single source
/// is a file FILE.csv or a folder of folders of images, which have inputs and targets; any other single source is
/// inputs without targets.
///
/// Throws InvalidInput if a source is none of these, or if an option does not apply to it; also throws what its reader
/// throws.
std::unique_ptr<SetSource> open_source(const std::vector<std::string>& sources, const SourceOptions& options = {});

/// The element type with the given name, such as "float32", as to_string() writes it. Throws InvalidInput that lists
/// all types.
ElementType element_type_named(std::string_view name);

}  // namespace crescendo::datasets
