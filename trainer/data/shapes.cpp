#include "trainer/data/shapes.hpp"

#include "core/check.hpp"

namespace crescendo::trainer {

std::vector<std::int64_t> joined_shape(const datasets::Fields& fields) {
    if (fields.size() == 1) {
        return fields[0].shape;
    }
    const auto& first = fields[0].shape;
    std::int64_t channels = 0;
    for (const auto& field : fields) {
        const auto& shape = field.shape;
        const auto rank = shape.size();
        const bool stacks = (rank == 2 || rank == 3) && first.size() >= 2 && shape[rank - 1] == first.back() &&
                            shape[rank - 2] == first[first.size() - 2];
        if (!stacks) {
            return {fields.sample_elements()};
        }
        channels += rank == 3 ? shape[0] : 1;
    }
    return {channels, first[first.size() - 2], first.back()};
}

bool is_image(const std::vector<std::int64_t>& shape) { return shape.size() == 2 || shape.size() == 3; }

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string words;
    for (const auto length : shape) {
        words += text("{}{}", words.empty() ? "" : "x", length);
    }
    return words.empty() ? "a single number" : words;
}

}  // namespace crescendo::trainer
