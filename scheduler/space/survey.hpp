#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// What the rules of a search space do to random draws: the first draws for the first trials of a sweep.
///
/// A thousand are drawn; as many as SearchSpace::sample() tries if the constraints allow none of those.
struct Survey {
    int num_draws = 0;
    int num_refused = 0;
    std::vector<int> broken{};   ///< for each constraint, the draws that broke it
    std::vector<int> present{};  ///< for each parameter, the draws that have it
    std::map<std::string, ExpressionError> errors{};  ///< by key, the first one of each rule that had no result

    double share_refused() const { return num_draws == 0 ? 0.0 : static_cast<double>(num_refused) / num_draws; }
};

Survey survey(const SearchSpace& space, std::uint64_t seed);

/// What a survey finds wrong, with the keys of the rules: rules without a result, constraints that allow nothing.
std::vector<ExpressionError> problems_of(const Survey& survey, const SearchSpace& space);

}  // namespace crescendo
