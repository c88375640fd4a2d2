#include "datasets/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/check.hpp"

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

void to_host_order(std::span<std::byte> elements, std::size_t element_bytes) {
    if (std::endian::native == std::endian::big || element_bytes == 1) {
        return;
    }
    for (; !elements.empty(); elements = elements.subspan(element_bytes)) {
        std::reverse(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(element_bytes));
    }
}

}  // namespace

void IdxReader::Close::operator()(gzFile_s* file) const { gzclose_r(file); }

IdxReader::IdxReader(const std::filesystem::path& file) : name_(file.string()), file_(gzopen(file.c_str(), "rbe")) {
    CRESCENDO_VALIDATE(file_ != nullptr && !std::filesystem::is_directory(file), "",
                       "{} cannot be opened: no such file, or no permission to read it", name_);
    gzbuffer(file_.get(), 1U << 17);
    read_header();
}

void IdxReader::read_header() {
    std::array<std::byte, 4> magic{};
    read_bytes(magic);
    const auto type = type_of(magic[2]);
    const auto rank = std::to_integer<int>(magic[3]);
    CRESCENDO_VALIDATE(magic[0] == std::byte{0} && magic[1] == std::byte{0} && type && rank >= 1, "",
                       "{} is not an IDX file: it does not begin with two zero bytes, an element type and a number {}",
                       name_, "of axes; give the files as they are distributed, plain or as .gz");
    type_ = *type;

    std::int64_t sample_bytes = static_cast<std::int64_t>(size_of(*type));
    for (int axis = 0; axis < rank; ++axis) {
        std::array<std::byte, 4> bytes{};
        read_bytes(bytes);
        to_host_order(bytes, bytes.size());
        const std::int64_t length = std::bit_cast<std::uint32_t>(bytes);
        if (axis == 0) {
            num_samples_ = length;
            continue;
        }
        shape_.push_back(length);
        const bool overflow = __builtin_mul_overflow(sample_bytes, length, &sample_bytes);
        CRESCENDO_VALIDATE(!overflow && sample_bytes >= 1 && sample_bytes < std::int64_t{1} << 40, "",
                           "{} says that its samples take {} bytes each: the file is damaged or not IDX", name_,
                           sample_bytes);
    }
}

std::size_t IdxReader::sample_bytes() const {
    return static_cast<std::size_t>(Field{{}, type_, num_samples_, shape_, 0}.sample_elements()) * size_of(type_);
}

void IdxReader::skip(std::int64_t num_samples) {
    const auto bytes = static_cast<z_off_t>(num_samples * static_cast<std::int64_t>(sample_bytes()));
    CRESCENDO_VALIDATE(gzseek(file_.get(), bytes, SEEK_CUR) >= 0, "", "{} cannot be read: {}", name_,
                       gzerror(file_.get(), nullptr));
}

void IdxReader::read(std::span<std::byte> out) {
    read_bytes(out);
    to_host_order(out, size_of(type_));
}

void IdxReader::read_bytes(std::span<std::byte> out) {
    const auto got = gzfread(out.data(), 1, out.size(), file_.get());
    if (got == out.size()) {
        return;
    }
    int code = Z_OK;
    const char* reason = gzerror(file_.get(), &code);
    throw InvalidInput(text("{} is cut off or damaged{}{}; download or copy it again", name_, code == Z_OK ? "" : ": ",
                            code == Z_OK ? "" : reason));
}

}  // namespace crescendo::datasets
