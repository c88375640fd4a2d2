#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/sources/image_folder.hpp"
#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// What cannot be read off the sources themselves.
struct SourceOptions {
    std::optional<ElementType> type = {};  ///< of bare numbers, and of the inputs in CSV
    std::vector<std::int64_t> shape = {};  ///< of a sample of bare numbers
    std::optional<ElementType> target_type = {};
    std::vector<std::int64_t> target_shape = {};
    std::vector<std::string> target_columns = {};  ///< of CSV
    ImageOptions images = {};
};

/// Opens what is to be converted. Two sources are inputs and targets, each of them a file FILE.npy, an array
/// FILE.npz:NAME, an IDX file, or, where its type is given, a file or a folder of files of bare numbers. One is a file
/// FILE.csv or a folder of folders of images, which have both, or else inputs without targets.
///
/// Throws InvalidInput where a source is none of these, for options that do not concern it, and what its reader throws.
std::unique_ptr<SetSource> open_source(const std::vector<std::string>& sources, const SourceOptions& options = {});

/// "float32" as to_string writes it. Throws InvalidInput that lists the types there are.
ElementType element_type_named(std::string_view name);

}  // namespace crescendo::datasets
