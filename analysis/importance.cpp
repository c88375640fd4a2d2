#include "analysis/importance.hpp"

#include <algorithm>
#include <cmath>

namespace crescendo::analysis {
namespace {

/// Share of the space that a leaf takes in all dimensions but these.
double share_without(const Leaf& leaf, const std::vector<Dimension>& dimensions, std::size_t first,
                     std::size_t second) {
    double share = 1;
    for (const auto& [i, side] : leaf.sides) {
        if (i != first && i != second) {
            share *= side.share(dimensions[i]);
        }
    }
    return share;
}

double share_of(const Leaf& leaf, const std::vector<Dimension>& dimensions) {
    return share_without(leaf, dimensions, dimensions.size(), dimensions.size());
}

/// Weighted values: their mean and variance.
class Moments {
  public:
    void add(double value, double weight) {
        weights_ += weight;
        const double before = value - mean_;
        mean_ += weights_ > 0 ? before * (weight / weights_) : 0;  // exactly the first value, however far from 0
        squares_ += weight * before * (value - mean_);
    }
    double variance() const { return weights_ > 0 ? std::max(0.0, squares_ / weights_) : 0; }
    MeanOfTrees estimate() const { return {mean_, std::sqrt(variance())}; }

  private:
    double weights_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

std::vector<MeanOfTrees> estimates_of(const std::vector<Moments>& moments) {
    std::vector<MeanOfTrees> estimates;
    for (const auto& each : moments) {
        estimates.push_back(each.estimate());
    }
    return estimates;
}

double variance_of(const Tree& tree, const std::vector<Dimension>& dimensions) {
    Moments moments;
    for (const auto& leaf : tree) {
        moments.add(leaf.value, share_of(leaf, dimensions));
    }
    return moments.variance();
}

/// From `at` on, the marginal is higher by `rise`.
struct Step {
    double at;
    double rise;
};

/// The marginal of a tree over a dimension of numbers: a function that is constant between its steps.
std::vector<Step> steps_of(const Tree& tree, const std::vector<Dimension>& dimensions, std::size_t dimension) {
    std::vector<Step> steps;
    for (const auto& leaf : tree) {
        const double rise = leaf.value * share_without(leaf, dimensions, dimension, dimension);
        steps.push_back({leaf.side(dimension).low, rise});
        steps.push_back({leaf.side(dimension).high, -rise});
    }
    std::ranges::sort(steps, {}, &Step::at);
    return steps;
}

/// The marginal of a tree at each choice of a dimension.
std::vector<double> values_at_choices(const Tree& tree, const std::vector<Dimension>& dimensions,
                                      std::size_t dimension) {
    std::vector<double> values(static_cast<std::size_t>(dimensions[dimension].num_choices));
    for (const auto& leaf : tree) {
        const double part = leaf.value * share_without(leaf, dimensions, dimension, dimension);
        for (std::size_t choice = 0; choice < values.size(); ++choice) {
            values[choice] += (leaf.side(dimension).choices >> choice & 1) != 0 ? part : 0;
        }
    }
    return values;
}

double marginal_variance(const Tree& tree, const std::vector<Dimension>& dimensions, std::size_t dimension) {
    Moments moments;
    if (dimensions[dimension].num_choices > 0) {
        for (const double value : values_at_choices(tree, dimensions, dimension)) {
            moments.add(value, 1);
        }
        return moments.variance();
    }
    const auto steps = steps_of(tree, dimensions, dimension);
    double value = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        value += steps[i].rise;
        moments.add(value, steps[i + 1].at - steps[i].at);
    }
    return moments.variance();
}

std::vector<double> marginal_of(const Tree& tree, const std::vector<Dimension>& dimensions, std::size_t dimension,
                                int num_places) {
    if (dimensions[dimension].num_choices > 0) {
        return values_at_choices(tree, dimensions, dimension);
    }
    const auto steps = steps_of(tree, dimensions, dimension);
    std::vector<double> values;
    double value = 0;
    auto step = steps.begin();
    for (int i = 0; i < num_places; ++i) {
        for (const double centre = (i + 0.5) / num_places; step != steps.end() && step->at <= centre; ++step) {
            value += step->rise;
        }
        values.push_back(value);
    }
    return values;
}

/// Which places of a dimension lie in a side.
std::vector<std::size_t> places_in(const Side& side, const Dimension& dimension, int num_places) {
    const int count = dimension.num_choices > 0 ? dimension.num_choices : num_places;
    std::vector<std::size_t> places;
    for (int i = 0; i < count; ++i) {
        const double centre = (i + 0.5) / count;
        const bool is_inside =
            dimension.num_choices > 0 ? (side.choices >> i & 1) != 0 : side.low <= centre && centre < side.high;
        if (is_inside) {
            places.push_back(static_cast<std::size_t>(i));
        }
    }
    return places;
}

}  // namespace

std::vector<MeanOfTrees> importances(const RegressionForest& forest) {
    const auto& dimensions = forest.dimensions();
    std::vector<Moments> shares(dimensions.size());
    for (const auto& tree : forest.trees()) {
        const double whole = variance_of(tree, dimensions);
        for (std::size_t i = 0; whole > 0 && std::isfinite(whole) && i < dimensions.size(); ++i) {
            shares[i].add(marginal_variance(tree, dimensions, i) / whole, 1);
        }
    }
    return estimates_of(shares);
}

std::vector<MeanOfTrees> marginal(const RegressionForest& forest, std::size_t dimension, int num_places) {
    std::vector<Moments> places;
    for (const auto& tree : forest.trees()) {
        const auto values = marginal_of(tree, forest.dimensions(), dimension, num_places);
        places.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            places[i].add(values[i], 1);
        }
    }
    return estimates_of(places);
}

std::vector<std::vector<double>> pair_marginal(const RegressionForest& forest, std::size_t first, std::size_t second,
                                               int num_places) {
    const auto& dimensions = forest.dimensions();
    const auto count = [&](std::size_t dimension) {
        const int choices = dimensions[dimension].num_choices;
        return static_cast<std::size_t>(choices > 0 ? choices : num_places);
    };
    std::vector<std::vector<double>> means(count(first), std::vector<double>(count(second)));
    const auto num_trees = static_cast<double>(forest.trees().size());
    for (const auto& tree : forest.trees()) {
        for (const auto& leaf : tree) {
            const double part = leaf.value * share_without(leaf, dimensions, first, second) / num_trees;
            const auto columns = places_in(leaf.side(second), dimensions[second], num_places);
            for (const auto row : places_in(leaf.side(first), dimensions[first], num_places)) {
                for (const auto column : columns) {
                    means[row][column] += part;
                }
            }
        }
    }
    return means;
}

}  // namespace crescendo::analysis
