#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "tests/datasets/files.hpp"
#include "tests/peak_memory.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

constexpr std::int64_t num_samples = std::int64_t{1} << 28;  // of 1,024 float32: 1 TiB
constexpr hsize_t sample_elements = 1024;

enum class Kind { contiguous, chunked, sample_chunks };

/// A set of a terabyte of holes, except for the samples k of `written`, whose elements are all k mod 1,000 + 1.
std::string write_terabyte(const std::filesystem::path& file, Kind kind, const std::vector<std::int64_t>& written) {
    const Hdf5Writer writer(file);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    if (kind == Kind::contiguous) {
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    } else {
        const std::array<hsize_t, 2> chunk{kind == Kind::chunked ? 64U : 1U, sample_elements};
        H5Pset_chunk(creation, 2, chunk.data());
        H5Pset_fill_time(creation, H5D_FILL_TIME_IFSET);
    }
    const std::array<hsize_t, 2> lengths{static_cast<hsize_t>(num_samples), sample_elements};
    const hid_t space = H5Screate_simple(2, lengths.data(), nullptr);
    const hid_t inputs = H5Dcreate2(writer.id(), "inputs", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    REQUIRE(inputs >= 0);
    const std::array<hsize_t, 2> one{1, sample_elements};
    const hid_t memory = H5Screate_simple(2, one.data(), nullptr);
    for (const auto sample : written) {
        const std::vector<float> values(sample_elements, static_cast<float>(sample % 1000 + 1));
        const std::array<hsize_t, 2> start{static_cast<hsize_t>(sample), 0};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, one.data(), nullptr);
        REQUIRE(H5Dwrite(inputs, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values.data()) >= 0);
    }
    const hid_t target_space = H5Screate_simple(1, lengths.data(), nullptr);
    const hid_t target_creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(target_creation, H5D_FILL_TIME_NEVER);
    H5Pset_alloc_time(target_creation, H5D_ALLOC_TIME_EARLY);
    H5Dclose(
        H5Dcreate2(writer.id(), "targets", H5T_NATIVE_UINT8, target_space, H5P_DEFAULT, target_creation, H5P_DEFAULT));
    H5Pclose(target_creation);
    H5Sclose(target_space);
    H5Sclose(memory);
    H5Dclose(inputs);
    H5Sclose(space);
    H5Pclose(creation);
    return file.string() + ":/";
}

std::vector<float> read_sample(const SampleSet& set, std::int64_t sample) {
    std::vector<float> values(sample_elements);
    std::array<std::byte, 1> target{};
    set.read(sample, 1, std::as_writable_bytes(std::span(values)), target);
    return values;
}

}  // namespace

TEST_CASE("a set of a terabyte is read at its far end and streamed within 512 MB") {
    const std::vector<std::int64_t> written{0, (std::int64_t{1} << 27) + 5, num_samples - 1};
    for (const auto kind : {Kind::contiguous, Kind::chunked, Kind::sample_chunks}) {
        CAPTURE(static_cast<int>(kind));
        const TemporaryFolder folder;
        const auto location = write_terabyte(folder / "set.h5", kind, written);
        forget_peak_memory();

        const auto set = SampleSet::open(location);
        CHECK(set->inputs()[0].route == (kind == Kind::contiguous ? Route::pread : Route::chunks));
        CHECK(set->size() == num_samples);
        for (const auto sample : written) {
            CHECK(read_sample(*set, sample) ==
                  std::vector<float>(sample_elements, static_cast<float>(sample % 1000 + 1)));
        }
        CHECK(read_sample(*set, num_samples - 2000) == std::vector<float>(sample_elements, 0.0F));

        if (kind != Kind::sample_chunks) {  // the library takes a while for each hole of such chunks
            SampleStream stream(set, {});
            stream.enter({.seed = 1, .position = num_samples - 200, .group_batch = 128});
            CHECK(stream.next()->samples.size() == 128);
            CHECK(stream.next()->samples.size() == 72);
            CHECK_FALSE(stream.next().has_value());
        }
        CHECK((!memory_is_ours || peak_memory() < std::int64_t{512} << 20));
    }
}
