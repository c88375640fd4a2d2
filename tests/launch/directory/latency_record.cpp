#include "launch/directory/latency_record.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

LatencyRecord made_with_two_threads() {
    LatencyRecord record;
    record.resource = Resource{9};
    record.data = "test";
    record.threads = 2;
    record.hardware = "EPYC \"7\"";
    return record;
}

}  // namespace

TEST_CASE("a measurement is read back as it was written, and a new one replaces it") {
    const TemporaryFolder folder;
    const SweepDirectory directory(folder.path());
    std::filesystem::create_directories(directory.trial(TrialId{3}));
    auto record = made_with_two_threads();
    record.latency.trial = TrialId{3};
    record.latency.samples = 20;
    record.latency.mean = 0.1 + 0.2;
    record.latency.p50 = 1e-7;
    record.latency.metrics["test_accuracy"] = 0.5;

    CHECK(!read_latency(directory, TrialId{3}));
    write_latency(directory, record);
    record.threads = 4;
    write_latency(directory, record);
    const auto read = read_latency(directory, TrialId{3});

    REQUIRE(read);
    CHECK(read->is_like(record));
    CHECK(read->latency.mean == 0.1 + 0.2);
    CHECK(read->latency.p50 == 1e-7);
    CHECK(read->latency.samples == 20);
    CHECK(read->latency.metrics == record.latency.metrics);
}

TEST_CASE("two measurements are alike if they would be made in the same way") {
    const auto record = made_with_two_threads();

    for (const auto& change : std::vector<void (*)(LatencyRecord&)>{[](auto& other) { other.resource = Resource{8}; },
                                                                    [](auto& other) { other.data = "validation"; },
                                                                    [](auto& other) { other.threads = 1; },
                                                                    [](auto& other) { other.hardware = "Xeon"; }}) {
        auto other = record;
        CHECK(record.is_like(other));
        change(other);
        CHECK(!record.is_like(other));
    }
}

TEST_CASE("the error for a damaged measurement names its file") {
    const TemporaryFolder folder;
    const SweepDirectory directory(folder.path());
    std::filesystem::create_directories(directory.trial(TrialId{3}));
    std::ofstream(directory.latency(TrialId{3})) << "{\"samples\": 3}";

    CHECK_THROWS_WITH_AS(read_latency(directory, TrialId{3}),
                         doctest::Contains("trials/000003/latency.json: is not a measurement"), InvalidInput);
}

TEST_CASE("a latency must have a unit") {
    CHECK(parse_latency("2ms") == 2e-3);
    CHECK(parse_latency("800us") == 800 * 1e-6);
    CHECK(parse_latency("0.5ms") == 0.5e-3);
    CHECK(parse_latency("1s") == 1.0);
    for (const auto* text : {"", "2", "ms", "2 ms", "-1ms", "0ms", "2min", "infms", "nanms"}) {
        CAPTURE(text);
        CHECK(!parse_latency(text));
    }
}
