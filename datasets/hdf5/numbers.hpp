#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/check.hpp"
#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// An IEEE half-precision number.
struct Half {
    std::uint16_t bits;

    /// Converts without any denormal float32: a process that has loaded an HDF5 filter built with -ffast-math flushes
    /// those to 0.
    explicit operator float() const {
        const std::uint32_t magnitude = bits & 0x7FFFU;
        const std::uint32_t exponent = bits & 0x7C00U;
        const std::uint32_t bias = exponent == 0x7C00U ? 224U << 23 : 112U << 23;  // 255 - 31; 127 - 15
        const float tiny = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
        const std::uint32_t wide = exponent == 0 ? std::bit_cast<std::uint32_t>(tiny) : (magnitude << 13) + bias;
        return std::bit_cast<float>(wide | (bits & 0x8000U) << 16);
    }
    explicit operator double() const { return static_cast<float>(*this); }
};

/// A bfloat16: the upper half of a float's bits.
struct BFloat16 {
    std::uint16_t bits;

    explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
    explicit operator double() const { return static_cast<float>(*this); }
};

/// Calls `function`, a template lambda without parameters, with the C++ type of `type` as its template argument.
template <class Function>
decltype(auto) with_type(ElementType type, Function&& function) {
    switch (type) {
        case ElementType::u8:
            return function.template operator()<std::uint8_t>();
        case ElementType::i8:
            return function.template operator()<std::int8_t>();
        case ElementType::u16:
            return function.template operator()<std::uint16_t>();
        case ElementType::i16:
            return function.template operator()<std::int16_t>();
        case ElementType::u32:
            return function.template operator()<std::uint32_t>();
        case ElementType::i32:
            return function.template operator()<std::int32_t>();
        case ElementType::u64:
            return function.template operator()<std::uint64_t>();
        case ElementType::i64:
            return function.template operator()<std::int64_t>();
        case ElementType::f16:
            return function.template operator()<Half>();
        case ElementType::bf16:
            return function.template operator()<BFloat16>();
        case ElementType::f32:
            return function.template operator()<float>();
        case ElementType::f64:
            return function.template operator()<double>();
    }
    CRESCENDO_EXPECT(!"a type without a name");
    return function.template operator()<double>();
}

/// Element `index` of a possibly unaligned array of T.
template <class T>
T element(const std::byte* array, std::size_t index) {
    T value;
    std::memcpy(&value, array + index * sizeof(T), sizeof(T));
    return value;
}

}  // namespace crescendo::datasets
