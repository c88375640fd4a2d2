#include "datasets/readers/unpacking_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "datasets/hdf5/numbers.hpp"

namespace crescendo::datasets {
namespace {

/// Converts the numbers of type Stored at the end of `out` to numbers of type Unpacked that fill it. Unpacked numbers
/// are not smaller, so writing never overtakes reading.
template <class Stored, class Unpacked>
void unpack_in_place(std::span<std::byte> out, const Packing& packing) {
    const auto count = out.size() / sizeof(Unpacked);
    const std::byte* from = out.data() + count * (sizeof(Unpacked) - sizeof(Stored));
    std::array<double, 256> numbers;
    for (std::size_t at = 0; at < count; at += numbers.size()) {
        const auto part = std::span(numbers).first(std::min(numbers.size(), count - at));
        for (std::size_t i = 0; i < part.size(); ++i) {
            part[i] = static_cast<double>(element<Stored>(from, at + i));
        }
        packing.decode(part);
        for (std::size_t i = 0; i < part.size(); ++i) {
            const auto number = static_cast<Unpacked>(part[i]);
            std::memcpy(out.data() + (at + i) * sizeof number, &number, sizeof number);
        }
    }
}

}  // namespace

ElementType unpacked_type(ElementType stored) {
    return size_of(stored) <= 2 || stored == ElementType::f32 ? ElementType::f32 : ElementType::f64;
}

UnpackingReader::UnpackingReader(std::unique_ptr<SampleReader> stored, ElementType type, Packing packing)
    : stored_(std::move(stored)), type_(type), packing_(std::move(packing)) {}

void UnpackingReader::read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const {
    stored_->read_ranges(ranges, room_for_stored(out));
    unpack(out);
}

std::span<std::byte> UnpackingReader::room_for_stored(std::span<std::byte> out) const {
    return out.last(out.size() / size_of(unpacked_type(type_)) * size_of(type_));
}

/// The end of `out`, which first holds the stored numbers.
void UnpackingReader::unpack(std::span<std::byte> out) const {
    const auto unpacked = unpacked_type(type_);
    with_type(type_, [&]<class Stored>() {
        if (unpacked == ElementType::f32) {
            if constexpr (sizeof(Stored) <= sizeof(float)) {
                unpack_in_place<Stored, float>(out, packing_);
            }
        } else {
            unpack_in_place<Stored, double>(out, packing_);
        }
    });
}

}  // namespace crescendo::datasets
