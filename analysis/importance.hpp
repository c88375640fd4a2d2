#pragma once

#include <cstddef>
#include <vector>

#include "analysis/regression_forest.hpp"

namespace crescendo::analysis {

/// A mean over the trees of a forest, and how much the trees disagree.
struct MeanOfTrees {
    double mean = 0;
    double deviation = 0;  ///< standard deviation over the trees
};

/// What a forest says about its dimensions, by functional analysis of variance. All averages are over the whole space,
/// not only over the places of samples.
///
/// Source: Hutter, Hoos and Leyton-Brown, "An Efficient Approach for Assessing Hyperparameter Importance", ICML 2014.

/// Share of the variance of the predictions that each dimension explains alone. Trees that predict the same value
/// everywhere, or whose variance is not finite, do not count; if none counts, the shares are 0.
std::vector<MeanOfTrees> importances(const RegressionForest& forest);

/// The prediction at values of one dimension, averaged over all others: at the centers of `num_places` equal parts of
/// [0, 1], or at each choice.
std::vector<MeanOfTrees> marginal(const RegressionForest& forest, std::size_t dimension, int num_places);

/// The prediction at values of two dimensions, averaged over all others: a row for each place of `first`, with the mean
/// for each place of `second`.
std::vector<std::vector<double>> pair_marginal(const RegressionForest& forest, std::size_t first, std::size_t second,
                                               int num_places);

}  // namespace crescendo::analysis
