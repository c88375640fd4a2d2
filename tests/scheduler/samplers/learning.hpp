#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "scheduler/loss.hpp"
#include "scheduler/samplers/any_sampler.hpp"
#include "tests/scheduler/script.hpp"

namespace crescendo {

/// A spec whose trials report once.
inline SweepSpec learning_spec(const std::string& sampler, SearchSpace space, std::uint64_t seed = 1) {
    auto spec = spec_of(SchedulerKind::fifo, /*run_cap=*/1000, /*max=*/1);
    spec.sampler = sampler;
    spec.space = std::move(space);
    spec.seed = seed;
    return spec;
}

inline Trial started(int id, Config config) {
    Trial trial;
    trial.id = TrialId{id};
    trial.config = std::move(config);
    return trial;
}

inline Trial finished(Trial trial, double loss) {
    trial.loss = finite_or_worst(loss);
    trial.resource = Resource{1};
    trial.status = TrialStatus::finished;
    trial.reason = StopReason::completed;
    return trial;
}

/// Runs `count` trials one after the other, and returns their configurations.
inline std::vector<Config> learn(AnySampler& sampler, int count, const std::function<double(const Config&)>& loss) {
    std::vector<Config> configs;
    for (int id = 0; id < count; ++id) {
        auto trial = started(id, sampler->propose(TrialId{id}).value().config);
        sampler->tell(trial);
        sampler->tell(finished(trial, loss(trial.config)));
        configs.push_back(std::move(trial.config));
    }
    return configs;
}

inline double number_of(const Config& config, std::size_t parameter) {
    const auto& value = config.at(parameter).second;
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

/// How many configurations have the number `parameter`, which is in [0, 1), in each eighth.
inline std::vector<int> count_in_eighths(const std::vector<Config>& configs, std::size_t parameter) {
    std::vector<int> counts(8, 0);
    for (const auto& config : configs) {
        ++counts[static_cast<std::size_t>(8 * number_of(config, parameter))];
    }
    return counts;
}

/// The lowest loss of `count` trials, for each seed.
inline std::vector<double> bests(const std::string& sampler, const SearchSpace& space, int count, int num_seeds,
                                 const std::function<double(const Config&)>& loss) {
    std::vector<double> result;
    for (int seed = 0; seed < num_seeds; ++seed) {
        AnySampler any(learning_spec(sampler, space, static_cast<std::uint64_t>(seed)));
        double best = worst_loss;
        for (const auto& config : learn(any, count, loss)) {
            best = std::min(best, loss(config));
        }
        result.push_back(best);
    }
    return result;
}

/// The mean of bests().
inline double mean_best(const std::string& sampler, const SearchSpace& space, int count, int num_seeds,
                        const std::function<double(const Config&)>& loss) {
    const auto each = bests(sampler, space, count, num_seeds, loss);
    return std::accumulate(each.begin(), each.end(), 0.0) / num_seeds;
}

}  // namespace crescendo
