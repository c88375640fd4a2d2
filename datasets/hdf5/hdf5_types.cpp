#include "datasets/hdf5/hdf5_types.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

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

hid_t native_type(ElementType type) {
    switch (type) {
        case ElementType::u8:
            return H5T_NATIVE_UINT8;
        case ElementType::i8:
            return H5T_NATIVE_INT8;
        case ElementType::u16:
            return H5T_NATIVE_UINT16;
        case ElementType::i16:
            return H5T_NATIVE_INT16;
        case ElementType::u32:
            return H5T_NATIVE_UINT32;
        case ElementType::i32:
            return H5T_NATIVE_INT32;
        case ElementType::u64:
            return H5T_NATIVE_UINT64;
        case ElementType::i64:
            return H5T_NATIVE_INT64;
        case ElementType::f32:
            return H5T_NATIVE_FLOAT;
        case ElementType::f64:
            return H5T_NATIVE_DOUBLE;
        case ElementType::f16:
        case ElementType::bf16:
            break;
    }
    CRESCENDO_EXPECT(false);
    return H5I_INVALID_HID;
}

const char* class_name(H5T_class_t type_class) {
    switch (type_class) {
        case H5T_INTEGER:
            return "integer";
        case H5T_FLOAT:
            return "float";
        case H5T_STRING:
            return "string";
        case H5T_COMPOUND:
            return "compound";
        case H5T_ENUM:
            return "enumeration";
        case H5T_ARRAY:
            return "array";
        case H5T_VLEN:
            return "variable-length";
        case H5T_OPAQUE:
            return "opaque";
        case H5T_REFERENCE:
            return "reference";
        case H5T_BITFIELD:
            return "bit field";
        default:
            return "unknown";
    }
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
        throw DamagedFile(text("{} says to hold more than 2^60 bytes: the file is damaged", name));
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
