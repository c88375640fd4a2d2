#include "datasets/sources/idx.hpp"

#include <array>
#include <bit>
#include <optional>

#include "core/check.hpp"
#include "datasets/hdf5/byte_order.hpp"

namespace crescendo::datasets {
namespace {

std::optional<ElementType> type_of(std::byte code) {
    switch (std::to_integer<int>(code)) {
        case 0x08:
            return ElementType::u8;
        case 0x09:
            return ElementType::i8;
        case 0x0B:
            return ElementType::i16;
        case 0x0C:
            return ElementType::i32;
        case 0x0D:
            return ElementType::f32;
        case 0x0E:
            return ElementType::f64;
        default:
            return std::nullopt;
    }
}

/// Converts from the file's byte order, which is big-endian.
void to_host_order(std::span<std::byte> elements, std::size_t element_bytes) {
    if (std::endian::native == std::endian::little) {
        reverse_elements(elements, element_bytes);
    }
}

}  // namespace

IdxReader::IdxReader(const std::filesystem::path& file) : SampleSource(file.string()), bytes_(open_file_bytes(file)) {
    std::array<std::byte, 4> magic{};
    bytes_->read(magic);
    const auto type = type_of(magic[2]);
    const auto rank = std::to_integer<int>(magic[3]);
    CRESCENDO_VALIDATE(
        magic[0] == std::byte{0} && magic[1] == std::byte{0} && type && rank >= 1, "",
        "{} is not an IDX file: it does not begin with two zero bytes, an element type and a number of axes; other "
        "formats are recognized by their ending, .npy, .npz:ARRAY or .csv, and bare numbers by {}",
        name(), "--type");

    std::vector<std::int64_t> lengths;
    for (int axis = 0; axis < rank; ++axis) {
        std::array<std::byte, 4> bytes{};
        bytes_->read(bytes);
        to_host_order(bytes, bytes.size());
        lengths.push_back(std::bit_cast<std::uint32_t>(bytes));
    }
    bytes_->expect(set_format({*type, {lengths.begin() + 1, lengths.end()}}, lengths.front()));
}

void IdxReader::skip(std::int64_t num_samples) {
    bytes_->skip(num_samples * static_cast<std::int64_t>(format().bytes()));
}

void IdxReader::read(std::span<std::byte> out) {
    bytes_->read(out);
    to_host_order(out, size_of(format().type));
}

bool is_idx(const std::filesystem::path& file) try {
    const IdxReader reader(file);
    const auto header_bytes = 4 * (2 + reader.format().shape.size());
    const auto sample_bytes = static_cast<std::uintmax_t>(reader.num_samples()) * reader.format().bytes();
    return std::filesystem::file_size(file) == header_bytes + sample_bytes;
} catch (const InvalidInput&) {
    return false;
}

}  // namespace crescendo::datasets
