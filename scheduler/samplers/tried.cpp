#include "scheduler/samplers/tried.hpp"

#include <cmath>
#include <utility>

namespace crescendo {

Tried::Tried(const SearchSpace& space) {
    for (const auto& parameter : space.parameters()) {
        is_finite_ = is_finite_ && FiniteValues::of(parameter.distribution);
        auto values = FiniteValues::reachable_of(parameter.distribution);
        most_ *= values ? static_cast<double>(values->size() + (parameter.when.empty() ? 0 : 1)) : HUGE_VAL;
        axes_.push_back({parameter.name, parameter.is_derived(), std::move(values)});
    }
}

void Tried::tell(const Trial& trial) {
    if (const auto key = trial.resource.value == 0 ? key_of(trial.config) : std::nullopt) {
        keys_.try_emplace(*key, keys_.size());
    }
}

bool Tried::repeats(const Config& config, std::size_t size) const {
    const auto key = static_cast<double>(size) < most_ ? key_of(config) : std::nullopt;
    const auto found = key ? keys_.find(*key) : keys_.end();
    return found != keys_.end() && found->second < size;
}

std::optional<std::uint64_t> Tried::key_of(const Config& config) const {
    std::uint64_t key = 0;
    auto next = config.begin();
    for (const auto& [name, is_derived, values] : axes_) {
        const bool is_there = next != config.end() && next->first == name;
        if (!is_derived) {
            const auto index = !is_there ? std::optional<std::int64_t>(-1)
                               : values  ? values->index_of(next->second)
                                         : std::nullopt;
            if (!index) {
                return {};
            }
            key = key * static_cast<std::uint64_t>(values ? values->size() + 1 : 1) +
                  static_cast<std::uint64_t>(*index + 1);
        }
        next += is_there;
    }
    return key;
}

}  // namespace crescendo
