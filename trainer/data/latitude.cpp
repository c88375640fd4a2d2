#include "trainer/data/latitude.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "core/check.hpp"
#include "datasets/hdf5/coordinate.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_pattern.hpp"
#include "trainer/data/shapes.hpp"

namespace crescendo::trainer {

using datasets::Coordinate;
using datasets::Field;
using datasets::Fields;

namespace {

constexpr const char* latitude_key = "trainer.data.latitude";

/// The rows of a grid that the images of a field contain.
struct GridRows {
    std::int64_t stored;    ///< rows of the grid in the file
    datasets::Range taken;  ///< rows that row selections and a crop leave
    std::int64_t before;    ///< rows of padding before the taken rows
    std::int64_t height;    ///< rows of an image, including the padding

    friend bool operator==(const GridRows&, const GridRows&) = default;
};

GridRows rows_of(const Field& field) {
    const auto height = field.shape[field.shape.size() - 2];
    const auto taken = field.padding ? field.padding->height : height;
    GridRows rows{taken, {0, taken}, field.padding ? field.padding->top : 0, height};
    if (field.part) {
        const auto& axes = field.part->axes;
        const auto axis = axes[axes.size() - (field.channels_last ? 3 : 2)];
        rows.stored = field.part->row[axis];
        rows.taken = field.part->ranges[axis];
    }
    return rows;
}

/// Returns the rows of the targets, which must all have the same ones.
GridRows common_rows(const std::string& location, const Fields& targets) {
    const auto is_no_image = [](const Field& field) {
        return std::ssize(field.shape) < (field.window > 0 ? 3 : 2);  // the first axis of a window is time
    };
    const bool images = std::none_of(targets.begin(), targets.end(), is_no_image) && joined_shape(targets).size() >= 2;
    CRESCENDO_VALIDATE(images, latitude_key, "it weights the rows of images, but a target of {} is {}; leave it out",
                       location, shape_text(joined_shape(targets)));
    const auto rows = rows_of(targets[0]);
    for (const auto& field : targets) {
        CRESCENDO_VALIDATE(
            rows_of(field) == rows, latitude_key,
            "{} and {} of {} use different rows of their grids, but a row has one latitude; use the same rows",
            targets[0].path, field.path, location);
    }
    return rows;
}

Coordinate read_latitudes(const DataSettings& settings) try {
    const bool elsewhere = settings.latitude.find(":/") != std::string::npos;
    const auto set =
        datasets::Location::parse(elsewhere ? settings.latitude : datasets::Selection::parse(settings.train).group);
    return datasets::read_coordinate(datasets::files_named(set.file).front(),
                                     elsewhere ? set.group : set.member(settings.latitude));
} catch (const std::runtime_error& error) {
    throw InvalidInput(error.what(), latitude_key);
}

void expect_degrees(const Coordinate& latitudes) {
    double most = 0;
    for (const double latitude : latitudes.values) {
        CRESCENDO_VALIDATE(std::abs(latitude) <= 90, latitude_key,
                           "{} holds {}, which is not a latitude; latitudes are degrees from -90 to 90", latitudes.name,
                           latitude);
        most = std::max(most, std::abs(latitude));
    }
    const bool radians = latitudes.units.empty() ? most <= std::numbers::pi / 2 : latitudes.units.starts_with("rad");
    CRESCENDO_VALIDATE(
        !radians, latitude_key,
        "{} {}; latitudes must be in degrees: multiply them by 180/pi, and set the attribute units to degrees_north",
        latitudes.name,
        latitudes.units.empty() ? text("has no attribute units, and its numbers (up to {}) look like radians", most)
                                : "is in " + latitudes.units);
}

}  // namespace

std::vector<double> latitude_weights(const std::string& location, const Fields& targets, const DataSettings& settings) {
    if (settings.latitude.empty()) {
        return {};
    }
    const auto [stored, taken, before, height] = common_rows(location, targets);
    const auto latitudes = read_latitudes(settings);
    expect_degrees(latitudes);
    CRESCENDO_VALIDATE(std::ssize(latitudes.values) == stored, latitude_key,
                       "{} has {} latitudes, but the images of {} have {} rows in the file (their second to last "
                       "axis); name a data set with one latitude for each row",
                       latitudes.name, latitudes.values.size(), location, stored);

    std::vector<double> weights(static_cast<std::size_t>(height), 0.0);
    double sum = 0;
    for (std::int64_t row = 0; row < taken.size(); ++row) {
        const double degrees = latitudes.values[static_cast<std::size_t>(taken.begin + row)];
        sum += weights[static_cast<std::size_t>(before + row)] = std::cos(degrees * std::numbers::pi / 180);
    }
    CRESCENDO_VALIDATE(sum > 1e-9, latitude_key,
                       "all selected rows of {} are at a pole, where they have no area; select others", latitudes.name);
    for (double& weight : weights) {
        weight *= static_cast<double>(height) / sum;
    }
    return weights;
}

}  // namespace crescendo::trainer
