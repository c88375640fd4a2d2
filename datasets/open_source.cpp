#include "datasets/open_source.hpp"

#include <filesystem>
#include <utility>

#include "core/check.hpp"
#include "datasets/csv.hpp"
#include "datasets/idx.hpp"
#include "datasets/npy.hpp"
#include "datasets/raw.hpp"

namespace crescendo::datasets {
namespace {

std::unique_ptr<SampleSource> open_samples(const std::string& source, const std::optional<ElementType>& type,
                                           const std::vector<std::int64_t>& shape) {
    constexpr std::string_view archive = ".npz";
    if (const auto at = source.rfind(std::string(archive) + ":"); at != std::string::npos) {
        const auto file_length = at + archive.size();
        return std::make_unique<NpyReader>(
            open_npz_bytes(source.substr(0, file_length), source.substr(file_length + 1)));
    }
    CRESCENDO_VALIDATE(!source.ends_with(archive), "", "{} is an archive of arrays; name one, like {}:images", source,
                       source);
    if (source.ends_with(".npy")) {
        return std::make_unique<NpyReader>(open_file_bytes(source));
    }
    if (type) {
        return std::make_unique<RawReader>(source, SampleFormat{*type, shape});
    }
    CRESCENDO_VALIDATE(!std::filesystem::is_directory(source), "",
                       "{} is a folder; for files of bare numbers say which they are, by --type and --shape or, for {}",
                       source, "targets, --target-type and --target-shape");
    return std::make_unique<IdxReader>(source);
}

}  // namespace

std::unique_ptr<SetSource> open_source(const std::vector<std::string>& sources, const SourceOptions& options) {
    CRESCENDO_EXPECT(sources.size() == 1 || sources.size() == 2);
    const auto& source = sources.front();
    if (sources.size() == 2) {
        auto inputs = open_samples(source, options.type, options.shape);
        auto targets = open_samples(sources.back(), options.target_type, options.target_shape);
        return make_set(std::move(inputs), std::move(targets));
    }
    if (std::filesystem::is_directory(source)) {
        return std::make_unique<ImageFolder>(source, options.images);
    }
    CRESCENDO_VALIDATE(source.ends_with(".csv"), "",
                       "{} alone is no set: it is neither a .csv file nor a folder of folders of images; give the file "
                       "of the targets, too",
                       source);
    return std::make_unique<CsvSet>(source, CsvOptions{.targets = options.target_columns,
                                                       .type = options.type.value_or(ElementType::f32),
                                                       .target_type = options.target_type});
}

ElementType element_type_named(std::string_view name) {
    using enum ElementType;
    std::string all;
    for (const auto type : {u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64}) {
        if (to_string(type) == name) {
            return type;
        }
        all += (all.empty() ? "" : ", ") + std::string(to_string(type));
    }
    throw InvalidInput(text("{} is no type of numbers; use one of {}", name, all));
}

}  // namespace crescendo::datasets
