#include "datasets/hdf5/hdf5_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"
#include "core/words.hpp"

namespace crescendo::datasets::hdf5 {
namespace {

std::optional<ElementType> integer_type(hid_t type) {
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    switch (H5Tget_size(type)) {
        case 1:
            return is_signed ? ElementType::i8 : ElementType::u8;
        case 2:
            return is_signed ? ElementType::i16 : ElementType::u16;
        case 4:
            return is_signed ? ElementType::i32 : ElementType::u32;
        case 8:
            return is_signed ? ElementType::i64 : ElementType::u64;
        default:
            return std::nullopt;
    }
}

std::optional<ElementType> float_type(hid_t type) {
    std::size_t sign = 0;
    std::size_t exponent = 0;
    std::size_t exponent_bits = 0;
    std::size_t mantissa = 0;
    std::size_t mantissa_bits = 0;
    check(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits), "no floating-point fields");
    switch (H5Tget_size(type)) {
        case 2:
            if (exponent_bits == 8 && mantissa_bits == 7) {
                return ElementType::bf16;
            }
            return exponent_bits == 5 ? std::optional{ElementType::f16} : std::nullopt;
        case 4:
            return ElementType::f32;
        case 8:
            return ElementType::f64;
        default:
            return std::nullopt;
    }
}

/// A 16-bit float with the bias of IEEE 754. HDF5 1.10 has no name for it.
Handle half_type(std::size_t exponent_bits) {
    Handle type = own(H5Tcopy(H5T_NATIVE_FLOAT), "no float type");
    const auto mantissa_bits = 15 - exponent_bits;
    const bool ok = H5Tset_fields(type.get(), 15, mantissa_bits, exponent_bits, 0, mantissa_bits) >= 0 &&
                    H5Tset_size(type.get(), 2) >= 0 &&
                    H5Tset_ebias(type.get(), (std::size_t{1} << (exponent_bits - 1)) - 1) >= 0;
    CRESCENDO_EXPECT(ok);
    return type;
}

/// All types except the 16-bit floats.
hid_t native_type(ElementType type) {
    using enum ElementType;
    const std::array<std::pair<ElementType, hid_t>, 10> types{{{u8, H5T_NATIVE_UINT8},
                                                               {i8, H5T_NATIVE_INT8},
                                                               {u16, H5T_NATIVE_UINT16},
                                                               {i16, H5T_NATIVE_INT16},
                                                               {u32, H5T_NATIVE_UINT32},
                                                               {i32, H5T_NATIVE_INT32},
                                                               {u64, H5T_NATIVE_UINT64},
                                                               {i64, H5T_NATIVE_INT64},
                                                               {f32, H5T_NATIVE_FLOAT},
                                                               {f64, H5T_NATIVE_DOUBLE}}};
    const auto* const found = std::ranges::find(types, type, &std::pair<ElementType, hid_t>::first);
    CRESCENDO_EXPECT(found != types.end());
    return found->second;
}

const char* class_name(H5T_class_t type_class) {
    static constexpr Words names{{std::pair{H5T_INTEGER, "integer"},
                                  {H5T_FLOAT, "float"},
                                  {H5T_STRING, "string"},
                                  {H5T_COMPOUND, "compound"},
                                  {H5T_ENUM, "enumeration"},
                                  {H5T_ARRAY, "array"},
                                  {H5T_VLEN, "variable-length"},
                                  {H5T_OPAQUE, "opaque"},
                                  {H5T_REFERENCE, "reference"},
                                  {H5T_BITFIELD, "bit field"}}};
    return names.has(type_class) ? names.of(type_class) : "unknown";
}

}  // namespace

std::optional<ElementType> element_type(hid_t type) {
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            return integer_type(type);
        case H5T_FLOAT:
            return float_type(type);
        case H5T_ENUM:
            return integer_type(number_type(type).get());
        default:
            return std::nullopt;
    }
}

std::int64_t num_bytes(const std::vector<std::int64_t>& extent, ElementType element, const std::string& name) {
    auto bytes = static_cast<std::int64_t>(size_of(element));
    const bool fits = std::none_of(extent.begin(), extent.end(), [&](std::int64_t length) {
        return length < 0 || __builtin_mul_overflow(bytes, length, &bytes) || bytes > std::int64_t{1} << 60;
    });
    if (!fits) {
        throw DamagedFile(text("{} claims to hold more than 2^60 bytes: the file is damaged", name));
    }
    return bytes;
}

Handle number_type(hid_t type) {
    return H5Tget_class(type) == H5T_ENUM ? own(H5Tget_super(type), "no base type of an enumeration")
                                          : own(H5Tcopy(type), "no type");
}

Handle memory_type(ElementType type) {
    switch (type) {
        case ElementType::f16:
            return half_type(5);
        case ElementType::bf16:
            return half_type(8);
        default:
            return own(H5Tcopy(native_type(type)), "no native type");
    }
}

Handle boolean_type() {
    auto type = own(H5Tenum_create(H5T_NATIVE_INT8), "no enumeration");
    for (const auto& [name, value] : {std::pair<const char*, std::int8_t>{"FALSE", 0}, {"TRUE", 1}}) {
        check(H5Tenum_insert(type.get(), name, &value), "no name in an enumeration");
    }
    return type;
}

std::string type_name(hid_t type) {
    const auto element = element_type(type);
    if (!element) {
        const auto type_class = H5Tget_class(type);
        const bool sized = type_class == H5T_INTEGER || type_class == H5T_FLOAT;
        return sized ? text("{} of {} bytes", class_name(type_class), H5Tget_size(type)) : class_name(type_class);
    }
    const bool big_endian = H5Tget_order(type) == H5T_ORDER_BE && size_of(*element) > 1;
    return text("{}{}", to_string(*element), big_endian ? ", big-endian" : "");
}

}  // namespace crescendo::datasets::hdf5
