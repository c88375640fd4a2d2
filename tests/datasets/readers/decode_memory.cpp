#include "datasets/readers/decode_memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/peak_memory.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

std::shared_ptr<const DecodeMemory::Chunk> chunk_at(hsize_t row) {
    auto chunk = std::make_shared<DecodeMemory::Chunk>();
    chunk->offset = {row};
    return chunk;
}

}  // namespace

TEST_CASE("the last chunk of each reader is kept, up to one chunk per thread") {
    DecodeMemory memory(/*num_data_sets=*/1);
    const int a = 0;  // readers
    const int b = 0;
    auto one = memory.take_scratch();
    auto other = memory.take_scratch();  // two threads
    memory.give_back(std::move(one));
    memory.give_back(std::move(other));

    memory.keep(&a, chunk_at(0));
    memory.keep(&a, chunk_at(8));
    memory.keep(&b, chunk_at(8));

    CHECK(memory.kept(&a, {0}) == nullptr);
    CHECK(memory.kept(&a, {8}) != nullptr);
    CHECK(memory.kept(&a, {8}) != memory.kept(&b, {8}));
    const int c = 0;
    memory.keep(&c, chunk_at(0));
    CHECK(memory.kept(&a, {8}) == nullptr);
    memory.forget(&b);
    CHECK(memory.kept(&b, {8}) == nullptr);
    CHECK(memory.kept(&c, {0}) != nullptr);
}

TEST_CASE("memory does not grow with the number of open files") {
    const TemporaryFolder folder;
    constexpr hsize_t rows = 64;
    constexpr hsize_t row = 8192;
    constexpr int num_files = 24;
    const std::vector<float> numbers(rows * row, 1.0F);  // a chunk of 2 MiB
    for (int i = 0; i < num_files; ++i) {
        Hdf5Writer(folder / ("part-" + std::to_string(100 + i) + ".h5"))
            .add("/inputs", {rows, row}, H5T_NATIVE_FLOAT, numbers, {.chunk = {rows, row}, .deflate = true});
    }
    const auto set = SampleSet::open((folder / "part-*.h5").string() + ":/", {.inputs = {"inputs[:, 0:8]"}});
    std::vector<std::byte> inputs(set->inputs().bytes_of(set->size()));
    set->read(0, rows, std::span(inputs).first(set->inputs().bytes_of(rows)), {});
    forget_peak_memory();
    const auto before = peak_memory();

    set->read(0, set->size(), inputs, {});

    CHECK((!memory_is_ours || peak_memory() - before < num_files / 2 * (std::int64_t{2} << 20)));
}
