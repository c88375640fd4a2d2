#include "launch/directory/earlier_results.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "scheduler/loss.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("earlier results are read as they were written, to the last bit") {
    const tests::TemporaryFolder folder;
    const std::vector<EarlierResult> results{
        {{{"x", 0.1 + 0.2}, {"a", std::int64_t{1}}, {"b", 1.0}, {"c", std::string("1")}, {"d", true}},
         {{Resource{1}, 1.0 / 3}, {Resource{3}, worst_loss}},
         true,
         false},
        {{}, {}, false, true}};

    const auto kept = write_earlier_results(folder / "results", results);

    CHECK(kept["results"] == 2);
    CHECK(read_earlier_results(folder / "results", kept) == results);
}

TEST_CASE("earlier results that were changed or removed are refused") {
    const tests::TemporaryFolder folder;
    const auto kept = write_earlier_results(folder / "results", {{{{"x", 0.5}}, {{Resource{1}, 0.1}}, false, true}});
    std::ofstream(folder / "results", std::ios::app) << "{}\n";

    const auto error = tests::error_of([&] { read_earlier_results(folder / "results", kept); });

    CHECK_MESSAGE(error.find("results: has changed since the sweep began") != std::string::npos, error);

    std::filesystem::remove(folder / "results");
    const auto gone = tests::error_of([&] { read_earlier_results(folder / "results", kept); });
    CHECK_MESSAGE(gone.find("results: is missing") != std::string::npos, gone);
}
