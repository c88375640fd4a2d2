#include "scheduler/samplers/grid_sampler.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"

namespace crescendo {
namespace {

constexpr int num_rounds = 4;

}  // namespace

Permutation::Permutation(std::uint32_t size, std::uint64_t seed) : size_(size), seed_(seed) {
    while ((std::uint64_t{1} << (2 * half_bits_)) < size) {
        ++half_bits_;
    }
}

std::uint32_t Permutation::operator()(std::uint32_t index) const {
    CRESCENDO_EXPECT(index < size_);
    do {
        index = shuffle(index);
    } while (index >= size_);
    return index;
}

std::uint32_t Permutation::shuffle(std::uint32_t index) const {
    const std::uint32_t mask = (std::uint32_t{1} << half_bits_) - 1;
    std::uint32_t left = index >> half_bits_;
    std::uint32_t right = index & mask;
    for (int round = 0; round < num_rounds; ++round) {
        const auto key = static_cast<std::uint32_t>(draws(seed_, Purpose::grid, TrialId{round}, right).next());
        const auto mixed = (left ^ key) & mask;
        left = right;
        right = mixed;
    }
    return left << half_bits_ | right;
}

GridSampler::GridSampler(const SearchSpace& space, std::uint64_t seed)
    : grid_(space), order_(static_cast<std::uint32_t>(grid_.size()), seed) {}

std::optional<Proposal> GridSampler::propose(TrialId) {
    for (; next_ < grid_.size(); ++next_) {
        const auto point = static_cast<std::int32_t>(order_(static_cast<std::uint32_t>(next_)));
        if (auto config = tried_.contains(point) ? std::nullopt : grid_.at(point)) {
            return Proposal{*std::move(config), Origin::grid};
        }
    }
    return {};
}

void GridSampler::tell(const Trial& trial) {
    if (const auto point = grid_.point_of(trial.config)) {
        tried_.insert(*point);
    }
}

std::unique_ptr<Sampler> GridSampler::clone() const { return std::make_unique<GridSampler>(*this); }

}  // namespace crescendo
