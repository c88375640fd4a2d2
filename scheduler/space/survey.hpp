#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// How many random draws the rules of a search space allow: the first draws for the first trials of a sweep.
///
/// There are a thousand draws. If none is allowed, drawing continues until one is, up to 10,000 draws.
struct Survey {
    int num_draws = 0;
    int num_refused = 0;
    std::vector<int> broken{};   ///< for each constraint, the number of draws that broke it
    std::vector<int> present{};  ///< for each parameter, the number of draws that have it
    std::map<std::string, ExpressionError> errors{};  ///< by key, the first error of each rule that had no result

    double share_refused() const { return num_draws == 0 ? 0.0 : static_cast<double>(num_refused) / num_draws; }
};

Survey survey(const SearchSpace& space, std::uint64_t seed);

/// The problems that a survey shows, with the keys of the rules: rules without a result, constraints that forbid all.
std::vector<ExpressionError> problems_of(const Survey& survey, const SearchSpace& space);

}  // namespace crescendo
