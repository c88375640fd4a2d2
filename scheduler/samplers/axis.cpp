#include "scheduler/samplers/axis.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "scheduler/space/finite_values.hpp"

namespace crescendo {
namespace {

std::vector<double> coordinates_of_possible(const Categorical& listed, const FiniteValues& possible) {
    std::vector<double> coordinates;
    for (const auto& [value, coordinate] : coordinates_of(listed)) {
        if (possible.index_of(value)) {
            coordinates.push_back(coordinate);
        }
    }
    std::ranges::sort(coordinates);
    return coordinates;
}

}  // namespace

std::vector<Axis> Axis::all_of(const SearchSpace& space) {
    std::vector<Axis> axes;
    for (const auto& parameter : space.parameters()) {
        if (!is_constant(parameter.distribution)) {
            const auto values = FiniteValues::of(parameter.distribution);
            Axis axis{.cell = values ? 1 / static_cast<double>(values->size()) : 0};
            if (const auto* listed = std::get_if<Categorical>(&parameter.distribution)) {
                axis.is_categorical = true;
                axis.categories = coordinates_of_possible(*listed, *values);
            }
            if (const auto [first, last] = crescendo::cell_at(parameter.distribution, 0.5); first < last) {
                axis.discrete = parameter.distribution;
            }
            axes.push_back(std::move(axis));
        }
    }
    return axes;
}

}  // namespace crescendo
