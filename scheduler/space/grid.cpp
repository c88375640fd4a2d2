#include "scheduler/space/grid.hpp"

#include <limits>
#include <utility>

#include "core/check.hpp"

namespace crescendo {

Grid::Grid(SearchSpace space) : space_(std::move(space)) {
    double size = 1;
    for (const auto& parameter : space_.parameters()) {
        auto values = FiniteValues::of(parameter.distribution);
        CRESCENDO_VALIDATE(values.has_value(), "parameters." + parameter.name,
                           "has infinitely many values (a grid tries each of them once); list some with values: [...], "
                           "use a distribution of whole numbers or q_uniform with a q, or use method: random");
        size *= static_cast<double>(values->size());
        axes_.push_back(*std::move(values));
    }
    CRESCENDO_VALIDATE(size <= std::numeric_limits<std::int32_t>::max(), "parameters",
                       "make a grid of {} points (a sweep has at most {} trials); list fewer values, or use method: "
                       "random",
                       size, std::numeric_limits<std::int32_t>::max());
    size_ = static_cast<std::int32_t>(size);
}

std::optional<Config> Grid::at(std::int32_t point) const {
    CRESCENDO_EXPECT(point >= 0 && point < size_);
    std::vector<std::optional<Value>> values(axes_.size());
    std::int64_t rest = point;
    for (auto i = axes_.size(); i-- > 0;) {
        if (!space_.parameters()[i].is_derived()) {
            values[i] = axes_[i].at(rest % axes_[i].size());
        }
        rest /= axes_[i].size();
    }
    auto config = space_.with_values(std::move(values));
    return config && point_of(*config) == point ? config : std::nullopt;
}

std::int32_t Grid::num_configurations() const {
    constexpr std::int32_t most_looked_at = 1'000'000;
    if (space_.rules().empty() || size_ > most_looked_at) {
        return size_;
    }
    std::int32_t count = 0;
    for (std::int32_t point = 0; point < size_; ++point) {
        count += at(point).has_value();
    }
    return count;
}

std::optional<std::int32_t> Grid::point_of(const Config& config) const {
    auto next = config.begin();
    std::int64_t point = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const auto& parameter = space_.parameters()[i];
        const bool is_there = next != config.end() && next->first == parameter.name;
        const auto index = is_there && !parameter.is_derived() ? axes_[i].index_of(next->second) : 0;
        const bool may_be_absent = !parameter.when.empty() || parameter.is_derived();
        if (!index || (!is_there && !may_be_absent)) {
            return {};
        }
        next += is_there;
        point = point * axes_[i].size() + *index;
    }
    return next == config.end() ? std::optional(static_cast<std::int32_t>(point)) : std::nullopt;
}

}  // namespace crescendo
