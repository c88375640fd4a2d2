#include "datasets/readers/unpacking_reader.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace crescendo::datasets;

namespace {

/// Gives 1,000 numbers, 0, 1, 2, …, modulo 100.
template <class T>
struct Numbers : SampleReader {
    static constexpr std::int64_t total = 1000;

    void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const override {
        REQUIRE(ranges.size() == 1);
        REQUIRE(out.size() == static_cast<std::size_t>(ranges[0].size()) * sizeof(T));
        for (std::int64_t i = 0; i < ranges[0].size(); ++i) {
            const T number = static_cast<T>((ranges[0].begin + i) % 100);
            std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(T), &number, sizeof(T));
        }
    }
};

const Packing packing{.scaled = true, .scale = 0.5, .offset = -3, .missing = {7}};

template <class Stored, class Unpacked>
void check_unpacking(ElementType type) {
    const UnpackingReader reader(std::make_unique<Numbers<Stored>>(), type, packing);
    std::vector<Unpacked> numbers(Numbers<Stored>::total - 5);

    reader.read(5, std::ssize(numbers), std::as_writable_bytes(std::span(numbers)));

    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto stored = (i + 5) % 100;
        CHECK((stored == 7 ? std::isnan(numbers[i]) : numbers[i] == static_cast<Unpacked>(stored) / 2 - 3));
    }
}

}  // namespace

TEST_CASE("stored numbers are unpacked in place") {
    check_unpacking<std::uint8_t, float>(ElementType::u8);
    check_unpacking<std::int16_t, float>(ElementType::i16);
    check_unpacking<float, float>(ElementType::f32);
    check_unpacking<std::int32_t, double>(ElementType::i32);
    check_unpacking<std::int64_t, double>(ElementType::i64);
    check_unpacking<double, double>(ElementType::f64);
}

TEST_CASE("the unpacked type has enough digits for the stored type") {
    CHECK(unpacked_type(ElementType::i8) == ElementType::f32);
    CHECK(unpacked_type(ElementType::f16) == ElementType::f32);
    CHECK(unpacked_type(ElementType::bf16) == ElementType::f32);
    CHECK(unpacked_type(ElementType::u32) == ElementType::f64);
}
