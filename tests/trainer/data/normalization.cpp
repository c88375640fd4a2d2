#include "trainer/data/normalization.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "core/check.hpp"
#include "datasets/inspection/statistics.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"
#include "trainer/settings/settings.hpp"

using namespace crescendo::trainer;
using namespace crescendo::tests;
using doctest::Contains;
namespace datasets = crescendo::datasets;

TEST_CASE("the suggested command for missing statistics names their layout and data sets") {
    const TemporaryFolder folder;
    const auto train = (folder / "set.h5").string() + ":/";
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {1, 5, 5, 2}, H5T_NATIVE_FLOAT, std::vector<float>(50));
        writer.add("/targets", {1}, H5T_NATIVE_FLOAT, std::vector<float>{1});
    }
    const auto hwc = datasets::SampleLayout::hwc;
    const auto set = datasets::SampleSet::open(train, {.layout = hwc});
    DataSettings settings{.train = train, .standardize = true, .layout = hwc};
    CHECK_THROWS_WITH_AS(normalizations(*set, settings), Contains("--layout hwc --data-sets inputs,targets"),
                         crescendo::InvalidInput);
    const datasets::StatisticsOptions inputs_alone{.data_sets = {"inputs"}, .layout = hwc};

    datasets::keep_statistics(train, datasets::compute_statistics(train, inputs_alone), hwc);

    CHECK_THROWS_WITH_AS(normalizations(*set, settings), Contains(":/ --layout hwc --data-sets targets"),
                         crescendo::InvalidInput);
    settings.layout.reset();
    CHECK_THROWS_WITH_AS(normalizations(*set, settings), Contains("run: crescendo data stats "),
                         crescendo::InvalidInput);
}

TEST_CASE("a constant channel is not divided by the rounding error stored as its spread by older versions") {
    const TemporaryFolder folder;
    const auto train = (folder / "set.h5").string() + ":/";
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {3, 2}, H5T_NATIVE_DOUBLE, std::vector<double>{0.1, 1, 0.1, 2, 0.1, 3});
        writer.add("/targets", {3}, H5T_NATIVE_FLOAT, std::vector<float>{1, 2, 3});
    }
    const auto set = datasets::SampleSet::open(train, {});
    auto statistics = datasets::compute_statistics(train, {});
    statistics[0].channels[0].std = 1.3e-15;
    statistics[0].channels[0].min = 0.1 - 1e-16;
    datasets::keep_statistics(train, statistics);

    const auto found = normalizations(*set, {.train = train, .standardize = true});

    CHECK(found[0]->std[0] == 1.0);
    CHECK(found[0]->std[1] == doctest::Approx(0.8165));  // √(2/3)
}
