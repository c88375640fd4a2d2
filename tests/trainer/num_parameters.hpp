#pragma once

#include <cstdint>

#include "trainer/models/model.hpp"

namespace crescendo::trainer::test {

inline std::int64_t num_parameters(const Model& model) {
    std::int64_t count = 0;
    for (const auto& parameter : model.parameters()) {
        count += parameter.numel();
    }
    return count;
}

}  // namespace crescendo::trainer::test
