#include "datasets/readers/filter_pipeline.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "tests/datasets/files.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

std::vector<std::byte> zlib_stream(std::vector<std::byte> bytes) {
    uLongf size = compressBound(bytes.size());
    std::vector<std::byte> out(size);
    REQUIRE(compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                     bytes.size()) == Z_OK);
    out.resize(size);
    return out;
}

std::vector<std::byte> decode(const FilterPipeline& pipeline, const std::vector<std::byte>& stored,
                              std::uint32_t mask = 0) {
    FilterPipeline::Scratch scratch;
    std::vector<std::byte> chunk(pipeline.chunk_bytes());
    pipeline.decode(stored, mask, chunk, scratch);
    return chunk;
}

const FilterPipeline::Stage deflating{1};
const FilterPipeline::Stage shuffle_of_2{2, {2}};
const FilterPipeline::Stage fletcher32{3};

}  // namespace

TEST_CASE("stages are undone in reverse, except those that a chunk skipped") {
    const auto elements = bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6, 7});
    const auto shuffled = bytes_of<std::uint8_t>({1, 3, 5, 2, 4, 6, 7});  // the odd byte stays where it is
    const auto pipeline = FilterPipeline::make({shuffle_of_2, deflating}, 7);
    REQUIRE(pipeline.has_value());

    CHECK(decode(*pipeline, zlib_stream(shuffled)) == elements);
    CHECK(decode(*pipeline, zlib_stream(elements), 0b01) == elements);
    CHECK(decode(*pipeline, shuffled, 0b10) == elements);
    CHECK(decode(*pipeline, elements, 0b11) == elements);
}

TEST_CASE("a checksum inside the compressed data counts toward their size") {
    // Words 0x0102, 0x0304, 0x0500: sums 0x0906 and 0x0102 + 0x0406 + 0x0906 = 0x0E0E, little-endian.
    const auto summed = bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 0x06, 0x09, 0x0E, 0x0E});
    const auto elements = bytes_of<std::uint8_t>({1, 2, 3, 4, 5});
    const auto pipeline = FilterPipeline::make({fletcher32, deflating}, 5);
    REQUIRE(pipeline.has_value());

    CHECK(decode(*pipeline, zlib_stream(summed)) == elements);
    auto swapped = summed;  // HDF5 before 1.6.3
    std::swap(swapped[5], swapped[6]);
    CHECK(decode(*pipeline, zlib_stream(swapped)) == elements);
    auto wrong = summed;
    wrong[2] = std::byte{0};
    CHECK_THROWS_WITH_AS(decode(*pipeline, zlib_stream(wrong)), Contains("checksum"), std::runtime_error);
}

TEST_CASE("an lzf stream refers back by up to 8,192 bytes") {
    std::vector<std::byte> elements;
    std::vector<std::byte> stored;
    CounterRandom random(1, 0);
    for (int i = 0; i < 8192; ++i) {
        if (i % 32 == 0) {
            stored.push_back(std::byte{31});  // 32 literal bytes follow
        }
        elements.push_back(static_cast<std::byte>(random.below(256)));
        stored.push_back(elements.back());
    }
    stored.insert(stored.end(), {std::byte{(3 - 2) << 5 | 31}, std::byte{255}});  // three bytes from the beginning
    elements.insert(elements.end(), {elements[0], elements[1], elements[2]});

    CHECK(decode(*FilterPipeline::make({{32000}}, elements.size()), stored) == elements);
}

TEST_CASE("pipelines that cannot be undone are left to the library") {
    CHECK_FALSE(FilterPipeline::make({{4}}, 8).has_value());                   // szip
    CHECK_FALSE(FilterPipeline::make({deflating, deflating}, 8).has_value());  // the size in between is unknown
    CHECK_FALSE(FilterPipeline::make({{2, {}}}, 8).has_value());               // a shuffle of unknown element size
    CHECK(FilterPipeline::make({}, 8)->empty());
}

TEST_CASE("chunks of a wrong size are refused") {
    const auto plain = FilterPipeline::make({shuffle_of_2}, 8);
    const auto compressed = FilterPipeline::make({deflating}, 8);

    CHECK_THROWS_WITH(decode(*plain, std::vector<std::byte>(7)), Contains("7 bytes instead of 8"));
    CHECK_THROWS_WITH(decode(*plain, std::vector<std::byte>(9)), Contains("9 bytes instead of 8"));
    for (const std::size_t size : {0, 7, 9}) {
        CHECK_THROWS_WITH(decode(*compressed, zlib_stream(std::vector<std::byte>(size))), Contains("deflate"));
    }
    CHECK_THROWS_WITH(decode(*FilterPipeline::make({fletcher32}, 8), std::vector<std::byte>(3)), Contains("checksum"));
}

TEST_CASE("random bytes give an error or a chunk, and never write outside the chunk") {
    CounterRandom random(1, 0);
    for (const int id : {1, 3, 32000, 32001, 32004, 32015}) {
        if (!FilterPipeline::knows(id)) {
            MESSAGE("skipped: filter ", id, " is not built in");
            continue;
        }
        const auto pipeline = FilterPipeline::make({{id}}, 256);
        for (int round = 0; round < 2000; ++round) {
            std::vector<std::byte> stored(random.below(64));
            for (auto& byte : stored) {
                byte = static_cast<std::byte>(random.below(round % 2 == 0 ? 256 : 40));
            }
            try {
                decode(*pipeline, stored);
            } catch (const std::runtime_error&) {
                continue;
            }
        }
    }
}
