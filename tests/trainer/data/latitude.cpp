#include "trainer/data/latitude.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/grid.hpp"
#include "trainer/data/data_cache.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::tests::Hdf5Writer;
using crescendo::tests::TemporaryFolder;
using doctest::Contains;
namespace datasets = crescendo::datasets;

namespace {

const std::vector<float> five_rows{90, 45, 0, -30, -60};

/// Settings for a grid of five rows that predict the second level of `t`.
DataSettings on(const std::string& train) {
    return {.train = train, .inputs = {"t[:, 0]"}, .targets = {"t[:, 1]"}, .latitude = "latitude"};
}

std::vector<double> weights_of(const DataSettings& settings) {
    DataCache data;
    const auto samples = data.set(settings.train, settings);
    return latitude_weights(samples->location(), samples->targets(), settings);
}

/// Checks that the weights are the cosines of these latitudes over their mean, with zeros for the rows of padding.
void check(const std::vector<double>& weights, std::size_t before, const std::vector<double>& latitudes,
           std::size_t behind) {
    double sum = 0;
    for (const double latitude : latitudes) {
        sum += std::cos(latitude * std::numbers::pi / 180);
    }
    const auto height = before + latitudes.size() + behind;
    REQUIRE(weights.size() == height);
    for (std::size_t row = 0; row < height; ++row) {
        CAPTURE(row);
        const bool is_padding = row < before || row >= before + latitudes.size();
        const double cosine = is_padding ? 0 : std::cos(latitudes[row - before] * std::numbers::pi / 180);
        CHECK(weights[row] == doctest::Approx(cosine * static_cast<double>(height) / sum).epsilon(1e-12));
    }
}

}  // namespace

TEST_CASE("the weight of a row is the cosine of its latitude over the mean") {
    const TemporaryFolder folder;
    const auto train = write_grid(folder / "era5.nc", 4, five_rows);

    const auto weights = weights_of(on(train));

    check(weights, 0, {90, 45, 0, -30, -60}, 0);
    CHECK(weights[0] == doctest::Approx(0).epsilon(1e-12));
    CHECK(weights[2] == doctest::Approx(5 / (std::sqrt(0.5) + 1 + std::sqrt(0.75) + 0.5)));
    auto without = on(train);
    without.latitude.clear();
    CHECK(weights_of(without).empty());
}

TEST_CASE("rows at the same latitude have equal weights") {
    const TemporaryFolder folder;

    for (const double weight : weights_of(on(write_grid(folder / "era5.nc", 4, {52, 52, 52})))) {
        CHECK(weight == doctest::Approx(1).epsilon(1e-12));
    }
}

TEST_CASE("row slices and crops use their part of the latitudes, and padding has no weight") {
    const TemporaryFolder folder;
    DataSettings settings = on(write_grid(folder / "era5.nc", 4, five_rows));

    settings.crop = datasets::Crop{{3, 8}};
    check(weights_of(settings), 0, {45, 0, -30}, 0);
    settings.pad = datasets::Pad{{6, 8}};
    check(weights_of(settings), 1, {45, 0, -30}, 2);
    settings.targets = {"t[:, 1, 1:]", "t[:, :, 1:]"};
    settings.crop->from = datasets::CropFrom::begin;
    check(weights_of(settings), 1, {45, 0, -30}, 2);
    settings.crop.reset();
    check(weights_of(settings), 1, {45, 0, -30, -60}, 1);
}

TEST_CASE("row weights follow the height if channels come last, and in windows that an autoencoder reconstructs") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "last.h5");
        writer.add("/t", {2, 3, 5, 2}, H5T_NATIVE_FLOAT, std::vector<float>(60));
        writer.add("/latitude", {3}, H5T_NATIVE_INT8, std::vector<std::int8_t>{60, 0, -60});
    }
    DataSettings settings{
        .train = (folder / "last.h5").string() + ":/", .inputs = {"t"}, .targets = {"t"}, .latitude = "latitude"};
    settings.layout = datasets::SampleLayout::hwc;

    check(weights_of(settings), 0, {60, 0, -60}, 0);
    settings.crop = datasets::Crop{{2, 5}, datasets::CropFrom::begin};
    check(weights_of(settings), 0, {60, 0}, 0);
    settings.crop.reset();
    settings.window.length = 2;
    DataCache data;
    const auto samples = data.set(settings.train, settings);
    check(latitude_weights(samples->location(), samples->inputs(), settings), 0, {60, 0, -60}, 0);
}

TEST_CASE("the latitudes come from the first file or from the file named in the settings") {
    const TemporaryFolder folder;
    write_grid(folder / "2017.nc", 4, {0, 0, 60});
    write_grid(folder / "2018.nc", 4, {60, 0, 0});
    write_grid(folder / "grid.nc", 4, {0, 60, 0});
    DataSettings settings = on((folder / "20*.nc").string() + ":/[0:6]");

    check(weights_of(settings), 0, {0, 0, 60}, 0);
    settings.latitude = (folder / "20?8.nc").string() + ":/latitude";
    check(weights_of(settings), 0, {60, 0, 0}, 0);
    settings.latitude = (folder / "grid.nc").string() + ":/latitude";
    check(weights_of(settings), 0, {0, 60, 0}, 0);
}

TEST_CASE("invalid latitudes and latitudes of other rows are refused with the remedy") {
    const TemporaryFolder folder;
    const auto train = write_grid(folder / "era5.nc", 4, five_rows);
    const auto complaint = [](const DataSettings& settings) -> doctest::String {
        try {
            weights_of(settings);
        } catch (const crescendo::InvalidInput& invalid) {
            CHECK(invalid.key() == "trainer.data.latitude");
            return invalid.what();
        }
        return "";
    };
    const auto with = [&](const std::vector<float>& latitudes, const std::string& units = "degrees_north") {
        return complaint(on(write_grid(folder / "other.nc", 4, latitudes, units)));
    };
    const auto named = [&](const std::string& latitude) {
        DataSettings settings = on(train);
        settings.latitude = latitude;
        return complaint(settings);
    };

    CHECK(named("lat") == Contains("era5.nc has no data set /lat: / holds "));
    CHECK(named("t") ==
          Contains("era5.nc:/t is not a grid coordinate, which is one axis of 1 to 2^24 numbers: it has 4 axes"));
    CHECK(named((folder / "none.nc").string() + ":/latitude") == Contains("none.nc: no such file"));
    write_grid(folder / "other.nc", 4, {10, 20, 30, 40});
    CHECK(named((folder / "other.nc").string() + ":/latitude") ==
          Contains("other.nc:/latitude has 4 latitudes, but the images of "));
    CHECK(with({10, 20, 90.5}) == Contains("other.nc:/latitude holds 90.5, which is not a latitude"));
    CHECK(with({10, std::nanf(""), 20}) == Contains("holds nan, which is not a latitude"));
    CHECK(with({-1.5F, 0, 1.5F}, "radians") ==
          Contains("other.nc:/latitude is in radians; latitudes must be in degrees"));
    CHECK(with({-1.5F, 0, 1.5F}, "") == Contains("numbers (up to 1.5) look like radians"));
    CHECK(with({-1.5F, 0, 1.5F}) == "");
    CHECK(with({90, -90}) == Contains("are at a pole"));
    DataSettings settings = on(train);
    settings.targets = {"t[:, 1, 0:3]", "t[:, 1, 2:5]"};
    CHECK(complaint(settings) == Contains("/t and /t of "));
    settings.targets = {"t[:, 1, 0, 0]"};
    CHECK(complaint(settings) == Contains("it weights the rows of images, but a target of "));
    CHECK(complaint(settings) == Contains("is a single number; leave it out"));
    settings.targets = {"t", "t[:, 1, :, 0:4]"};
    CHECK(complaint(settings) == Contains("is 100; leave it out"));  // the targets have two sizes
}
