#include "datasets/melt_pool/generate_melt_pools.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

std::vector<float> floats_of(std::span<const std::byte> bytes) {
    std::vector<float> result(bytes.size() / sizeof(float));
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(result)).begin());
    return result;
}

}  // namespace

TEST_CASE("videos of melt pools are the same for any number of threads and reflect power and speed") {
    const TemporaryFolder folder;
    const auto generated = [&](const std::string& name, MeltPoolOptions options) {
        const auto location = (folder / name).string() + ":/train";
        generate_melt_pools(location, options, {.chunk_samples = 4});
        return read_all(*SampleSet::open(location));
    };
    const MeltPoolOptions options{.num_samples = 24, .size = 16, .frames = 3, .seed = 5};
    auto threads = options;
    threads.num_threads = 3;
    auto other = options;
    other.seed = 6;

    const auto samples = generated("one.h5", options);

    CHECK(generated("three.h5", threads).inputs == samples.inputs);
    CHECK(generated("other.h5", other).inputs != samples.inputs);
    const auto set = SampleSet::open((folder / "one.h5").string() + ":/train");
    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{3, 16, 16});
    CHECK(set->targets()[0].shape == std::vector<std::int64_t>{2});
    const auto inputs = floats_of(samples.inputs);
    const auto targets = floats_of(samples.targets);
    CHECK(std::ranges::all_of(inputs, [](float light) { return light >= 0 && light <= 1; }));
    // The brightness of the last image follows the heat per length, blurred by radius and absorptivity.
    std::vector<std::pair<float, float>> pools;
    for (std::size_t i = 0; i < 24; ++i) {
        CHECK((targets[2 * i] >= 1 && targets[2 * i] <= 4));
        CHECK((targets[2 * i + 1] >= 0.4F && targets[2 * i + 1] <= 2));
        float light = 0;
        for (std::size_t point = 0; point < 256; ++point) {
            light += inputs[i * 768 + 512 + point];
        }
        pools.emplace_back(targets[2 * i] / std::sqrt(targets[2 * i + 1]), light);
    }
    std::ranges::sort(pools);
    CHECK(pools[23].second > 2 * pools[0].second);
    CHECK(pools[18].second > pools[5].second);
}

TEST_CASE("impossible options for melt pools are refused and leave no file") {
    const TemporaryFolder folder;
    const auto complaint = [&](const MeltPoolOptions& options) {
        return complaint_of([&] { generate_melt_pools((folder / "set.h5").string() + ":/", options, {}); });
    };

    CHECK(complaint({.num_samples = 0}) == Contains("0 samples"));
    CHECK(complaint({.num_samples = 1, .size = 4}) == Contains("--size 4"));
    CHECK(complaint({.num_samples = 1, .frames = 65}) == Contains("--frames 65"));
    CHECK(complaint({.num_samples = std::int64_t{1} << 40}) == Contains("use at most"));
    CHECK(std::filesystem::is_empty(folder / "."));
}
