#include "scheduler/samplers/axis.hpp"

#include <variant>

#include "scheduler/space/finite_values.hpp"

namespace crescendo {

std::vector<Axis> Axis::all_of(const SearchSpace& space) {
    std::vector<Axis> axes;
    for (const auto& parameter : space.parameters()) {
        if (!is_constant(parameter.distribution)) {
            const auto values = FiniteValues::of(parameter.distribution);
            axes.push_back({std::holds_alternative<Categorical>(parameter.distribution),
                            values ? 1 / static_cast<double>(values->size()) : 0});
        }
    }
    return axes;
}

}  // namespace crescendo
