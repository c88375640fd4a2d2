#include "launch/sweep_file/search/sampler_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/samplers/any_sampler.hpp"
#include "scheduler/samplers/axis.hpp"

namespace crescendo::launch {
namespace {

constexpr int most_for_gp = 500;

}  // namespace

bool leaves_sampler_open(const std::string& word) { return word == "auto" || word == "bayes"; }

std::vector<std::string> sampler_words() {
    auto words = sampler_names();
    words.insert(words.begin(), "auto");
    return words;
}

SamplerChoice choose_sampler(const std::string& word, const SweepSpec& spec, bool has_warm_start) {
    constexpr int few = 20;
    constexpr int least_for_evolution = 1000;
    const auto axes = Axis::all_of(spec.space);
    const auto num_choices = std::ranges::count_if(axes, &Axis::is_categorical);
    if (!spec.run_cap) {
        return {"tpe", "without run_cap"};
    }
    const int num_trials = *spec.run_cap;
    if (num_trials < few && word == "auto" && !has_warm_start) {
        return {"sobol", "of fewer than 20 trials, too few to learn from"};
    }
    if (num_trials <= most_for_gp && 2 * num_choices <= std::ssize(axes)) {
        return {"gp", "of at most 500 trials with mostly numeric parameters"};
    }
    if (num_trials >= least_for_evolution && num_choices == 0) {
        return {"cmaes", "of 1,000 trials or more with only numeric parameters"};
    }
    return {"tpe", num_trials <= most_for_gp ? "with mostly categorical parameters" : "of more than 500 trials"};
}

std::string doubt_about(const std::string& sampler, const SweepSpec& spec) {
    if (sampler != "gp" || spec.run_cap.value_or(most_for_gp + 1) <= most_for_gp) {
        return {};
    }
    return fmt::format(
        "is gp, whose model holds at most {} results, but the sweep has {}; each proposal takes about a tenth of a "
        "second; auto chooses a sampler that suits it",
        most_for_gp, spec.run_cap ? fmt::format("{} trials", *spec.run_cap) : "no limit on trials");
}

}  // namespace crescendo::launch
