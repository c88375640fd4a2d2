#include "datasets/field.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/check.hpp"

namespace crescendo::datasets {

std::size_t size_of(ElementType type) {
    switch (type) {
        case ElementType::u8:
        case ElementType::i8:
            return 1;
        case ElementType::u16:
        case ElementType::i16:
        case ElementType::f16:
        case ElementType::bf16:
            return 2;
        case ElementType::u32:
        case ElementType::i32:
        case ElementType::f32:
            return 4;
        case ElementType::u64:
        case ElementType::i64:
        case ElementType::f64:
            return 8;
    }
    CRESCENDO_EXPECT(false);
    return 0;
}

const char* to_string(ElementType type) {
    switch (type) {
        case ElementType::u8:
            return "uint8";
        case ElementType::i8:
            return "int8";
        case ElementType::u16:
            return "uint16";
        case ElementType::i16:
            return "int16";
        case ElementType::u32:
            return "uint32";
        case ElementType::i32:
            return "int32";
        case ElementType::u64:
            return "uint64";
        case ElementType::i64:
            return "int64";
        case ElementType::f16:
            return "float16";
        case ElementType::bf16:
            return "bfloat16";
        case ElementType::f32:
            return "float32";
        case ElementType::f64:
            return "float64";
    }
    CRESCENDO_EXPECT(false);
    return "";
}

const char* to_string(Route route) {
    switch (route) {
        case Route::pread:
            return "pread";
        case Route::chunks:
            return "chunks";
        case Route::library:
            return "library";
    }
    CRESCENDO_EXPECT(false);
    return "";
}

std::int64_t Field::sample_elements() const {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
}

std::size_t Field::sample_bytes() const { return static_cast<std::size_t>(sample_elements()) * size_of(type); }

std::int64_t samples_per_block(std::size_t sample_bytes) {
    constexpr std::size_t block_bytes = std::size_t{256} << 10;
    return static_cast<std::int64_t>(std::max<std::size_t>(1, block_bytes / sample_bytes));
}

}  // namespace crescendo::datasets
