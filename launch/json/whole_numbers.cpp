#include "launch/json/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

namespace crescendo::launch {

Config with_whole_numbers(Config config, const SearchSpace& space) {
    constexpr double exact = 9007199254740992.0;  // 2^53: a double holds every whole number up to here
    auto parameter = space.parameters().begin();  // searching from the first one each time would be quadratic
    for (auto& [name, value] : config) {
        parameter = std::ranges::find(parameter, space.parameters().end(), name, &Parameter::name);
        if (parameter == space.parameters().end()) {
            break;
        }
        const auto* number = std::get_if<double>(&value);
        if (number == nullptr || !(std::fabs(*number) <= exact)) {
            continue;
        }
        const bool is_whole = std::visit(
            [](const auto& distribution) {
                if constexpr (requires { distribution.q; }) {
                    return distribution.q == std::floor(distribution.q);
                } else {
                    return false;
                }
            },
            parameter->distribution);
        if (is_whole && *number == std::floor(*number)) {
            value = static_cast<std::int64_t>(*number);
        }
    }
    return config;
}

}  // namespace crescendo::launch
