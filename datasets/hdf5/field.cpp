#include "datasets/hdf5/field.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "core/check.hpp"
#include "datasets/hdf5/numbers.hpp"

namespace crescendo::datasets {

std::size_t size_of(ElementType type) {
    return with_type(type, []<class Number> { return sizeof(Number); });
}

bool is_floating(ElementType type) {
    return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 ||
           type == ElementType::f64;
}

const char* to_string(ElementType type) {
    static constexpr Words types{{std::pair{ElementType::u8, "uint8"},
                                  {ElementType::i8, "int8"},
                                  {ElementType::u16, "uint16"},
                                  {ElementType::i16, "int16"},
                                  {ElementType::u32, "uint32"},
                                  {ElementType::i32, "int32"},
                                  {ElementType::u64, "uint64"},
                                  {ElementType::i64, "int64"},
                                  {ElementType::f16, "float16"},
                                  {ElementType::bf16, "bfloat16"},
                                  {ElementType::f32, "float32"},
                                  {ElementType::f64, "float64"}}};
    return types.of(type);
}

const char* to_string(Route route) {
    static constexpr Words routes{
        {std::pair{Route::pread, "pread"}, {Route::chunks, "chunks"}, {Route::library, "library"}}};
    return routes.of(route);
}

namespace {

std::int64_t product(const std::vector<std::int64_t>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{1}, std::multiplies<>{});
}

}  // namespace

std::int64_t Field::sample_elements() const { return product(shape); }

std::size_t Field::sample_bytes() const {
    auto elements = sample_elements();
    if (padding) {
        elements = elements / (shape[shape.size() - 2] * shape.back()) * padding->height * padding->width;
    }
    return static_cast<std::size_t>(elements) * size_of(type);
}

std::size_t Field::stored_row_bytes() const {
    return part ? static_cast<std::size_t>(product(part->row)) * size_of(type)
                : sample_bytes() / static_cast<std::size_t>(std::max<std::int64_t>(1, window));
}

bool Field::looks_channels_last() const {
    constexpr std::int64_t most_channels = 4;
    const std::span<const std::int64_t> row = std::span(shape).subspan(window > 0 ? 1 : 0);
    return !channels_last && row.size() == 3 && row[0] > row[2] && row[1] > row[2] &&
           (row[2] <= most_channels || row[0] == row[1]);
}

std::size_t Field::pitch_bytes() const {
    const auto rows = std::max<std::int64_t>(1, window);
    return sample_bytes() / static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride);
}

std::size_t Field::bytes_of(std::int64_t count) const {
    return count == 0 ? 0 : static_cast<std::size_t>(count - 1) * pitch_bytes() + sample_bytes();
}

std::size_t Field::chunk_bytes(std::int64_t count) const {
    return std::max(static_cast<std::size_t>(count) * pitch_bytes(), bytes_of(count));
}

Channels Field::channels() const {
    constexpr std::int64_t most_features = 1024;
    const auto elements = static_cast<std::int64_t>(sample_bytes() / size_of(type)) / std::max<std::int64_t>(1, window);
    const std::span<const std::int64_t> row = std::span(shape).subspan(window > 0 ? 1 : 0);
    if (row.size() >= 3) {
        return {row[0], elements / row[0]};
    }
    if (row.size() == 1 && elements <= most_features) {
        return {elements, 1};
    }
    return {1, elements};
}

std::string contradiction_of_classes(const std::vector<std::string>& one, const std::string& here,
                                     const std::vector<std::string>& other, const std::string& there) {
    const auto both = static_cast<std::ptrdiff_t>(std::min(one.size(), other.size()));
    const auto [mine, theirs] = std::mismatch(one.begin(), one.begin() + both, other.begin());
    return mine == one.begin() + both
               ? ""
               : text("class {} is {} in {} and {} in {}", mine - one.begin(), *mine, here, *theirs, there);
}

std::int64_t Fields::sample_elements() const {
    return std::accumulate(begin(), end(), std::int64_t{0},
                           [](std::int64_t sum, const Field& field) { return sum + field.sample_elements(); });
}

std::size_t Fields::sample_bytes() const { return bytes_of(1); }

std::size_t Fields::bytes_of(std::int64_t count) const {
    return std::accumulate(begin(), end(), std::size_t{0},
                           [&](std::size_t sum, const Field& field) { return sum + field.bytes_of(count); });
}

std::int64_t samples_per_block(std::size_t sample_bytes) {
    constexpr std::size_t block_bytes = std::size_t{256} << 10;
    return static_cast<std::int64_t>(std::max<std::size_t>(1, block_bytes / sample_bytes));
}

}  // namespace crescendo::datasets
