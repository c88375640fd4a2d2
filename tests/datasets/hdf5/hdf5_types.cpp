#include "datasets/hdf5/hdf5_types.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

/// Writes two samples of `values` with the given type in the file and reads their bytes.
template <class T>
void check_round_trip(const std::vector<T>& values, hid_t memory_type, hid_t file_type, ElementType expected) {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    {
        Hdf5Writer writer(file);
        writer.add("/inputs", {2, values.size() / 2}, memory_type, values, {.file_type = file_type});
        writer.add("/targets", {2}, H5T_NATIVE_UINT8, bytes_of(std::vector<std::uint8_t>{7, 8}));
    }

    const auto set = SampleSet::open(file.string() + ":/");

    CHECK(set->inputs()[0].type == expected);
    CHECK(set->inputs().sample_bytes() == sizeof(T) * values.size() / 2);
    CHECK(read_all(*set).inputs == bytes_of(values));
}

}  // namespace

TEST_CASE("every type of number is read") {
    const auto le = H5I_INVALID_HID;  // as in memory
    check_round_trip<std::uint8_t>({1, 255}, H5T_NATIVE_UINT8, le, ElementType::u8);
    check_round_trip<std::int8_t>({1, -1}, H5T_NATIVE_INT8, le, ElementType::i8);
    check_round_trip<std::uint16_t>({1, 65535}, H5T_NATIVE_UINT16, le, ElementType::u16);
    check_round_trip<std::int16_t>({1, -300}, H5T_NATIVE_INT16, le, ElementType::i16);
    check_round_trip<std::uint32_t>({1, 4000000000U}, H5T_NATIVE_UINT32, le, ElementType::u32);
    check_round_trip<std::int32_t>({1, -70000}, H5T_NATIVE_INT32, le, ElementType::i32);
    check_round_trip<std::uint64_t>({1, ~std::uint64_t{0}}, H5T_NATIVE_UINT64, le, ElementType::u64);
    check_round_trip<std::int64_t>({1, -(std::int64_t{1} << 40)}, H5T_NATIVE_INT64, le, ElementType::i64);
    check_round_trip<float>({0.1F, -2e30F, 3, 4}, H5T_NATIVE_FLOAT, le, ElementType::f32);
    check_round_trip<double>({0.1, -2e300}, H5T_NATIVE_DOUBLE, le, ElementType::f64);
}

TEST_CASE("a big-endian file is read in the byte order of this machine") {
    check_round_trip<std::int16_t>({1, -300}, H5T_NATIVE_INT16, H5T_STD_I16BE, ElementType::i16);
    check_round_trip<std::uint64_t>({1, 1ULL << 60}, H5T_NATIVE_UINT64, H5T_STD_U64BE, ElementType::u64);
    check_round_trip<float>({0.1F, -2e30F}, H5T_NATIVE_FLOAT, H5T_IEEE_F32BE, ElementType::f32);
    check_round_trip<double>({0.1, -2e300}, H5T_NATIVE_DOUBLE, H5T_IEEE_F64BE, ElementType::f64);
}

TEST_CASE("16-bit floats of either byte order are read") {
    struct Kind {
        ElementType type;
        std::size_t exponent_bits;
        std::size_t bias;
        std::vector<std::uint16_t> numbers;  // 1, -2, the largest, the smallest
    };
    for (const auto& [type, exponent_bits, bias, numbers] :
         {Kind{ElementType::f16, 5, 15, {0x3C00, 0xC000, 0x7BFF, 0x0001}},
          Kind{ElementType::bf16, 8, 127, {0x3F80, 0xC000, 0x7F7F, 0x0001}}}) {
        for (const auto order : {H5T_ORDER_LE, H5T_ORDER_BE}) {
            const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
            H5Tset_fields(half, 15, 15 - exponent_bits, exponent_bits, 0, 15 - exponent_bits);
            H5Tset_size(half, 2);
            H5Tset_ebias(half, bias);
            const hid_t stored = H5Tcopy(half);
            H5Tset_order(stored, order);

            check_round_trip(numbers, half, stored, type);

            H5Tclose(stored);
            H5Tclose(half);
        }
    }
}

TEST_CASE("an enumeration, such as h5py's bool, is read as its integers") {
    const hid_t boolean = H5Tenum_create(H5T_NATIVE_INT8);
    std::int8_t value = 0;
    H5Tenum_insert(boolean, "FALSE", &value);
    value = 1;
    H5Tenum_insert(boolean, "TRUE", &value);

    check_round_trip<std::int8_t>({0, 1, 1, 0}, boolean, boolean, ElementType::i8);

    H5Tclose(boolean);
}
