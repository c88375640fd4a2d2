#include "datasets/sources/open_source.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "datasets/hdf5/foreign_format.hpp"
#include "datasets/sources/csv.hpp"
#include "datasets/sources/idx.hpp"
#include "datasets/sources/npy.hpp"
#include "datasets/sources/raw.hpp"

namespace crescendo::datasets {
namespace {

/// Whether the file is HDF5, by its content or its name. NetCDF-4 is HDF5, and so are MATLAB's files, after 512 bytes
/// of their own.
bool is_hdf5(const std::string& file) {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    std::array<char, 512 + signature.size()> begin{};
    if (std::filesystem::is_regular_file(file)) {  // reading a pipe would consume its data
        std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
    }
    const std::string_view bytes(begin.data(), begin.size());
    return bytes.starts_with(signature) || bytes.ends_with(signature) || file.ends_with(".h5") ||
           file.ends_with(".hdf5");
}

/// `prefix` is that of the options for bare numbers: --type and --shape, or --target-type and --target-shape.
std::unique_ptr<SampleSource> open_samples(const std::string& source, const std::string& prefix,
                                           const std::optional<ElementType>& type,
                                           const std::vector<std::int64_t>& shape) {
    constexpr std::string_view archive = ".npz";
    const auto colon = source.rfind(std::string(archive) + ":");
    const bool in_archive = colon != std::string::npos;
    const bool numpy = in_archive || source.ends_with(".npy");
    CRESCENDO_VALIDATE(
        !source.ends_with(".csv"), "",
        "{} is CSV, which has inputs and targets in its columns and must be the only source; choose the targets with "
        "--targets, and put the columns of two files side by side first (paste -d, A.csv B.csv)",
        source);
    CRESCENDO_VALIDATE(!source.ends_with(archive), "", "{} is an archive of arrays; name one, like {}:images", source,
                       source);
    CRESCENDO_VALIDATE(!numpy || (!type && shape.empty()), "",
                       "{} states its own type and shape; leave out --{}type and --{}shape", source, prefix, prefix);
    if (in_archive) {
        const auto file_length = colon + archive.size();
        return std::make_unique<NpyReader>(
            open_npz_bytes(source.substr(0, file_length), source.substr(file_length + 1)));
    }
    if (numpy) {
        return std::make_unique<NpyReader>(open_file_bytes(source));
    }
    if (type) {
        return std::make_unique<RawReader>(source, SampleFormat{*type, shape});
    }
    CRESCENDO_VALIDATE(shape.empty(), "",
                       "--{}shape is for bare numbers and needs --{}type; leave it out if {} holds none", prefix,
                       prefix, source);
    CRESCENDO_VALIDATE(!std::filesystem::is_directory(source), "",
                       "{} is a folder; for files of bare numbers, give --{}type and --{}shape; for images in one "
                       "folder per class, leave out TARGETS",
                       source, prefix, prefix);
    CRESCENDO_VALIDATE(!is_hdf5(source.substr(0, source.rfind(":/"))), "",
                       "{} is already HDF5; crescendo data rechunk copies a group of it for faster reading", source);
    const auto format = foreign_format(source);
    CRESCENDO_VALIDATE(format.empty(), "", "{} is not a source: {}", source, format);
    return std::make_unique<IdxReader>(source);
}

}  // namespace

std::unique_ptr<SetSource> open_source(const std::vector<std::string>& sources, const SourceOptions& options) {
    CRESCENDO_EXPECT(sources.size() == 1 || sources.size() == 2);
    const auto& source = sources.front();
    const bool alone = sources.size() == 1;
    const bool csv = alone && source.ends_with(".csv");
    const bool images = alone && !options.type && options.shape.empty() && std::filesystem::is_directory(source);
    CRESCENDO_VALIDATE(!options.type || (!options.images.size && !options.images.gray), "--type",
                       "--type is for bare numbers, --size and --gray are for images; leave out one or the other");
    const auto refuse = [&](bool given, const char* option, const char* of) {
        CRESCENDO_VALIDATE(!given, option, "{} is for {} only; leave it out for {}", option, of, source);
    };
    refuse(!csv && !options.target_columns.empty(), "--targets", "CSV");
    refuse(!images && options.images.size, "--size", "a folder of images");
    refuse(!images && options.images.gray, "--gray", "a folder of images");
    refuse(csv && !options.shape.empty(), "--shape", "bare numbers");
    refuse(alone && !options.target_shape.empty(), "--target-shape", "bare numbers of targets");
    refuse(alone && !csv && options.target_type, "--target-type", "bare numbers of targets");
    if (csv) {
        return std::make_unique<CsvSet>(source, CsvOptions{.targets = options.target_columns,
                                                           .type = options.type.value_or(ElementType::f32),
                                                           .target_type = options.target_type});
    }
    if (images) {
        return std::make_unique<ImageFolder>(source, options.images);
    }
    auto inputs = open_samples(source, "", options.type, options.shape);
    auto targets = alone ? nullptr : open_samples(sources.back(), "target-", options.target_type, options.target_shape);
    return make_set(std::move(inputs), std::move(targets));
}

ElementType element_type_named(std::string_view name) {
    using enum ElementType;
    std::vector<std::string> all;
    for (const auto type : {u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64}) {
        if (to_string(type) == name) {
            return type;
        }
        all.emplace_back(to_string(type));
    }
    throw InvalidInput(text("{} is not a number type; use one of {}", name, enumerate(all, ", ")));
}

}  // namespace crescendo::datasets
