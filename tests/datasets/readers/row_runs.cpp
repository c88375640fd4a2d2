#include "datasets/readers/row_runs.hpp"

#include <doctest/doctest.h>

#include "datasets/hdf5/data_set_name.hpp"

using namespace crescendo::datasets;

namespace {

/// Runs of a row of 4 x 3 x 2 numbers of two bytes.
std::vector<RowRun> runs_of(const std::string& name) {
    Field field{.path = "/t", .type = ElementType::i16, .num_samples = 1, .shape = {4, 3, 2}};
    DataSetName::parse(name).cut(field, "/t");
    return row_runs(field);
}

}  // namespace

TEST_CASE("adjacent elements make one run") {
    CHECK(runs_of("t") == std::vector<RowRun>{{0, 48}});
    CHECK(runs_of("t[:, 2]") == std::vector<RowRun>{{24, 12}});
    CHECK(runs_of("t[:, 1:3]") == std::vector<RowRun>{{12, 24}});
    CHECK(runs_of("t[:, 1, 1:]") == std::vector<RowRun>{{16, 8}});
}

TEST_CASE("separate elements make several runs") {
    CHECK(runs_of("t[:, 1:3, 1]") == std::vector<RowRun>{{16, 4}, {28, 4}});
    CHECK(runs_of("t[:, 0, :, 1]") == std::vector<RowRun>{{2, 2}, {6, 2}, {10, 2}});
}
