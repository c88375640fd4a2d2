#include "scheduler/space/survey.hpp"

#include "core/draws.hpp"

namespace crescendo {
namespace {

constexpr int usual_draws = 1000;
constexpr int most_draws = 10'000;  // until one is allowed

/// Judges one draw. Returns whether the rules allow it.
bool judge(const SearchSpace& space, CounterRandom random, Survey& found) {
    const auto& rules = space.rules();
    bool is_allowed = true;
    try {
        const auto assignment = rules.apply(space.draw_all(random));
        for (std::size_t i = 0; i < found.present.size(); ++i) {
            found.present[i] += assignment.is_active[i] ? 1 : 0;
        }
        for (std::size_t i = 0; i < found.broken.size(); ++i) {
            const bool allows = rules.allows(i, assignment);
            found.broken[i] += allows ? 0 : 1;
            is_allowed &= allows;
        }
    } catch (const ExpressionError& error) {
        found.errors.emplace(error.key(), error);
        return false;
    }
    return is_allowed;
}

}  // namespace

Survey survey(const SearchSpace& space, std::uint64_t seed) {
    Survey found;
    found.broken.resize(space.rules().constraints().size());
    found.present.resize(space.parameters().size());
    const auto is_open = [&] { return found.num_refused == found.num_draws && found.num_draws < most_draws; };
    while (found.num_draws < usual_draws || is_open()) {
        const auto random = draws(seed, Purpose::configuration, TrialId{found.num_draws});
        found.num_refused += judge(space, random, found) ? 0 : 1;
        ++found.num_draws;
    }
    return found;
}

std::vector<ExpressionError> problems_of(const Survey& survey, const SearchSpace& space) {
    std::vector<ExpressionError> problems;
    for (const auto& [key, error] : survey.errors) {
        problems.push_back(error);
    }
    if (!problems.empty() || survey.num_refused < survey.num_draws) {
        return problems;
    }
    const auto& broken = survey.broken;
    for (std::size_t i = 0; i < broken.size(); ++i) {
        if (broken[i] == survey.num_draws) {
            problems.emplace_back(text("none of {} draws meets it, so no trial could start; loosen it, or change the "
                                       "ranges of its parameters",
                                       survey.num_draws),
                                  0, constraint_key(i));
        }
    }
    if (problems.empty()) {
        std::string shares;
        for (std::size_t i = 0; i < broken.size(); ++i) {
            shares += text("{}{} refuses {} %", i == 0 ? "" : ", ", space.rules().constraints()[i].text(),
                           100.0 * broken[i] / survey.num_draws);
        }
        problems.emplace_back(text("none of {} draws meets all constraints, so no trial could start ({}); loosen them, "
                                   "or change the ranges of their parameters",
                                   survey.num_draws, shares),
                              0, "constraints");
    }
    return problems;
}

}  // namespace crescendo
