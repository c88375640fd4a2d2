#include "datasets/sources/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/check.hpp"
#include "datasets/hdf5/byte_order.hpp"

namespace crescendo::datasets {
namespace {

/// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", followed by spaces.
class Header {
  public:
    explicit Header(ByteSource& bytes) : name_(bytes.name()) {
        std::array<char, 8> magic{};
        bytes.read(std::as_writable_bytes(std::span(magic)));
        CRESCENDO_VALIDATE(std::memcmp(magic.data(), "\x93NUMPY", 6) == 0, "",
                           "{} is not a NumPy file: it does not begin with \\x93NUMPY; write it with numpy.save",
                           name_);
        std::array<unsigned char, 4> size{};
        bytes.read(std::as_writable_bytes(std::span(size)).first(magic[6] == 1 ? 2 : 4));
        const std::size_t length = size[0] | size[1] << 8 | size[2] << 16 | std::size_t{size[3]} << 24;
        CRESCENDO_VALIDATE(magic[6] >= 1 && magic[6] <= 3 && length <= std::size_t{1} << 20, "",
                           "{} is damaged, or in an unknown version of NumPy's format; save it again", name_);
        text_.resize(length);
        bytes.read(std::as_writable_bytes(std::span(text_)));
    }

    /// What follows `'key': `.
    std::string_view value(std::string_view key) const {
        const auto quoted = text("'{}':", key);
        const auto at = text_.find(quoted);
        CRESCENDO_VALIDATE(at != std::string::npos, "", "{} has no {} in its header; save it again", name_, key);
        auto rest = std::string_view(text_).substr(at + quoted.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        return rest;
    }

    /// '<f4', without the quotes.
    std::string_view type() const {
        const auto quoted = value("descr");
        const auto end = quoted.size() > 1 && quoted[0] == '\'' ? quoted.find('\'', 1) : std::string_view::npos;
        CRESCENDO_VALIDATE(end != std::string_view::npos, "",
                           "{} holds records of several fields; save each field as a separate array", name_);
        return quoted.substr(1, end - 1);
    }

    std::vector<std::int64_t> shape() const {
        auto rest = value("shape");
        CRESCENDO_VALIDATE(rest.starts_with('('), "", "{} has no shape in its header; save it again", name_);
        std::vector<std::int64_t> lengths;
        for (rest.remove_prefix(1);; rest.remove_prefix(1)) {
            rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
            if (rest.starts_with(')')) {
                return lengths;
            }
            std::int64_t length = 0;
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
            const bool goes_on = rest.starts_with(',') || rest.starts_with(')');
            CRESCENDO_VALIDATE(error == std::errc{} && length >= 0 && goes_on, "",
                               "{} has an invalid shape in its header; save it again", name_);
            lengths.push_back(length);
            if (rest.starts_with(')')) {
                return lengths;
            }
        }
    }

  private:
    std::string name_;
    std::string text_;
};

/// The format for `kind` and size, as in "f4". NumPy's booleans are bytes of 0 or 1, but not brightness values like
/// other bytes.
std::optional<ElementType> element_type(std::string_view name) {
    constexpr std::pair<std::string_view, ElementType> types[] = {
        {"b1", ElementType::i8},  {"u1", ElementType::u8},  {"i1", ElementType::i8},  {"u2", ElementType::u16},
        {"i2", ElementType::i16}, {"u4", ElementType::u32}, {"i4", ElementType::i32}, {"u8", ElementType::u64},
        {"i8", ElementType::i64}, {"f2", ElementType::f16}, {"f4", ElementType::f32}, {"f8", ElementType::f64}};
    for (const auto& [each, type] : types) {
        if (each == name) {
            return type;
        }
    }
    return std::nullopt;
}

}  // namespace

NpyReader::NpyReader(std::unique_ptr<ByteSource> bytes) : SampleSource(bytes->name()), bytes_(std::move(bytes)) {
    const Header header(*bytes_);
    const auto type = header.type();
    const auto element = type.empty() ? std::nullopt : element_type(type.substr(1));
    CRESCENDO_VALIDATE(
        element.has_value(), "",
        "{} is of NumPy type '{}', but samples are integers of 8 to 64 bits or floats of 16 to 64 bits; {}", name(),
        type,
        type.find_first_of("US") == std::string::npos
            ? "convert it with astype"
            : "number the classes with numpy.unique(names, return_inverse=True)");
    const auto shape = header.shape();
    CRESCENDO_VALIDATE(!shape.empty(), "", "{} is a single number; its first axis must count the samples", name());
    CRESCENDO_VALIDATE(
        header.value("fortran_order").starts_with("False"), "",
        "{} is stored in Fortran order, which scatters each sample's numbers; save numpy.ascontiguousarray of {}",
        name(), "it");
    bytes_->expect(set_format({*element, {shape.begin() + 1, shape.end()}, type.ends_with("b1")}, shape.front()));
    const auto other = std::endian::native == std::endian::little ? '>' : '<';
    swapped_ = type.front() == other;
}

void NpyReader::skip(std::int64_t num_samples) {
    bytes_->skip(num_samples * static_cast<std::int64_t>(format().bytes()));
}

void NpyReader::read(std::span<std::byte> out) {
    bytes_->read(out);
    if (swapped_) {
        reverse_elements(out, size_of(format().type));
    }
}

}  // namespace crescendo::datasets
