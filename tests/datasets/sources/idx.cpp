#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "datasets/sources/idx.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

template <std::size_t N>
std::vector<std::byte> bytes(const std::array<int, N>& values) {
    std::vector<std::byte> result;
    for (const auto value : values) {
        result.push_back(static_cast<std::byte>(value));
    }
    return result;
}

/// All elements of an IDX file of one axis.
std::vector<std::byte> elements_of(const std::filesystem::path& file) {
    IdxReader reader(file);
    std::vector<std::byte> elements(static_cast<std::size_t>(reader.num_samples()) * reader.format().bytes());
    reader.read(elements);
    return elements;
}

}  // namespace

TEST_CASE("an IDX file's elements are read in the byte order of this machine") {
    const TemporaryFolder folder;
    const auto file = folder / "idx";
    const auto elements = [&](int code, const auto& stored, std::uint32_t count) {
        write_bytes(file, idx_bytes(code, {count}, bytes(stored)));
        return elements_of(file);
    };

    CHECK(elements(0x08, std::array{1, 255}, 2) == bytes_of<std::uint8_t>({1, 255}));
    CHECK(elements(0x09, std::array{1, 255}, 2) == bytes_of<std::int8_t>({1, -1}));
    CHECK(elements(0x0B, std::array{1, 2, 255, 254}, 2) == bytes_of<std::int16_t>({258, -2}));
    CHECK(elements(0x0C, std::array{0, 1, 0, 2}, 1) == bytes_of<std::int32_t>({65538}));
    CHECK(elements(0x0D, std::array{0x3F, 0xC0, 0, 0}, 1) == bytes_of<float>({1.5F}));
    CHECK(elements(0x0E, std::array{0xC0, 4, 0, 0, 0, 0, 0, 0}, 1) == bytes_of<double>({-2.5}));
}

TEST_CASE("an IDX file says its type and shape, plain or compressed") {
    const TemporaryFolder folder;
    const auto stored = idx_bytes(0x0B, {2, 3, 1}, bytes(std::array{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}));
    write_bytes(folder / "plain", stored);
    write_bytes(folder / "packed.gz", gzip(stored));

    for (const auto* name : {"plain", "packed.gz"}) {
        CAPTURE(name);
        IdxReader reader(folder / name);

        CHECK(reader.format().type == ElementType::i16);
        CHECK(reader.num_samples() == 2);
        CHECK(reader.format().shape == std::vector<std::int64_t>{3, 1});
        CHECK(reader.format().bytes() == 6);

        std::vector<std::byte> second(6);
        reader.skip(1);
        reader.read(second);
        CHECK(second == bytes_of<std::int16_t>({4, 5, 6}));
    }
}

TEST_CASE("an IDX file that is cut off anywhere is named") {
    const TemporaryFolder folder;
    const auto whole = idx_bytes(0x08, {2, 3}, bytes(std::array{1, 2, 3, 4, 5, 6}));
    const auto packed = gzip(whole);
    const auto complaint = [&](std::span<const std::byte> stored) {
        write_bytes(folder / "cut", stored);
        return complaint_of([&] {
            IdxReader reader(folder / "cut");
            std::vector<std::byte> elements(6);
            reader.read(elements);
        });
    };

    CHECK(complaint(whole) == "");
    CHECK(complaint(packed) == "");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        CHECK(complaint(std::span(whole).first(size)) == Contains("cut is truncated or damaged"));
    }
    for (std::size_t size = 10; size < packed.size(); ++size) {  // gzip has 10 bytes of header
        CAPTURE(size);
        CHECK(complaint(std::span(packed).first(size)) == Contains("cut is truncated or damaged"));
    }
}

TEST_CASE("a compressed IDX file that is longer than it says is named") {
    const TemporaryFolder folder;
    write_bytes(folder / "idx", gzip(idx_bytes(0x08, {2, 3}, bytes(std::array{1, 2, 3, 4, 5, 6, 7}))));

    CHECK(complaint_of([&] { elements_of(folder / "idx"); }) == Contains("it is longer than it says"));
    CHECK(complaint_of([&] {
              IdxReader reader(folder / "idx");
              std::vector<std::byte> second(3);
              reader.skip(1);
              reader.read(second);
          }) == Contains("it is longer than it says"));
}

TEST_CASE("damage of a compressed IDX file is found wherever it is") {
    const TemporaryFolder folder;
    const auto packed = gzip(idx_bytes(0x08, {2, 3}, bytes(std::array{1, 2, 3, 4, 5, 6})));

    for (std::size_t bit = 80; bit < 8 * packed.size(); ++bit) {
        CAPTURE(bit);
        auto damaged = packed;
        damaged[bit / 8] ^= std::byte{1} << (bit % 8);
        write_bytes(folder / "idx", damaged);
        std::vector<std::byte> read;

        const auto complaint = complaint_of([&] { read = elements_of(folder / "idx"); });

        CHECK((complaint != "" || read == bytes(std::array{1, 2, 3, 4, 5, 6})));
    }
}

TEST_CASE("a file that is not IDX is named") {
    const TemporaryFolder folder;
    const auto complaint = [&](std::span<const std::byte> stored) {
        write_bytes(folder / "foreign", stored);
        return complaint_of([&] { IdxReader reader(folder / "foreign"); });
    };

    CHECK(complaint(bytes_of<char>({'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'})) == Contains("not an IDX file"));
    CHECK(complaint(idx_bytes(0x0A, {1}, {})) == Contains("not an IDX file"));  // no such type
    CHECK(complaint(idx_bytes(0x08, {}, {})) == Contains("not an IDX file"));   // no axis
    CHECK(complaint(idx_bytes(0x08, {1, 0}, {})) == Contains("claims samples of 0 bytes"));
    CHECK(complaint(idx_bytes(0x08, {1, ~0U, ~0U, ~0U}, {})) == Contains("damaged, or in another format"));
    CHECK(complaint_of([&] { IdxReader reader(folder / "absent"); }) == Contains("absent cannot be opened"));
    CHECK(complaint_of([&] { IdxReader reader(folder / "."); }) == Contains("cannot be opened"));
}
