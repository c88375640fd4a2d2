#include "analysis/regression_forest.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"

namespace crescendo::analysis {
namespace {

std::uint64_t bit(double choice) { return std::uint64_t{1} << static_cast<unsigned>(choice); }

std::uint64_t choices_of(int count) {
    return count == Dimension::most_choices ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Where to divide a node. If the gain is 0, the node is not divided.
struct Split {
    double gain = 0;
    std::size_t dimension = 0;
    double at = 0;  ///< a threshold, or the choice that goes to the left
};

/// Count and sum of values, from which the squared error of their mean follows.
struct Sums {
    double count = 0;
    double sum = 0;

    void add(double value) {
        count += 1;
        sum += value;
    }
    Sums without(const Sums& other) const { return {count - other.count, sum - other.sum}; }
    /// The sum of squares that the mean explains.
    double explained() const { return count > 0 ? sum * sum / count : 0; }
};

/// Grows trees from samples. A tree may have the same sample several times.
///
/// Samples are sorted along each dimension once, and keep these orders when nodes are divided: a node is a contiguous
/// part of each order.
class Grower {
  public:
    Grower(const std::vector<Dimension>& dimensions, std::span<const Sample> samples) : dimensions_(dimensions) {
        for (const auto& sample : samples) {
            values_.push_back(sample.value);
        }
        goes_left_.resize(samples.size());
        to_the_right_.resize(samples.size());
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            auto& places = places_.emplace_back();
            for (const auto& sample : samples) {
                places.push_back(sample.place[i]);
            }
            auto& order = sorted_.emplace_back(samples.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::ranges::stable_sort(order, {}, [&](std::size_t sample) { return places[sample]; });
        }
    }

    /// A tree that has sample i times[i] times.
    Tree grow(const std::vector<std::size_t>& times) {
        orders_.assign(dimensions_.size(), {});
        for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            for (const auto sample : sorted_[i]) {
                orders_[i].insert(orders_[i].end(), times[sample], sample);
            }
        }
        std::vector<Node> open{{{}, 0, orders_.front().size()}};
        Tree leaves;
        while (!open.empty()) {
            Node node = std::move(open.back());
            open.pop_back();
            const auto split = best_split(node);
            if (split.gain <= 0) {
                leaves.push_back({std::move(node.sides), mean_of(node)});
                continue;
            }
            auto [left, right] = divide(std::move(node), split);
            open.push_back(std::move(left));
            open.push_back(std::move(right));
        }
        return leaves;
    }

  private:
    struct Node {
        std::map<std::size_t, Side> sides;  ///< as in Leaf
        std::size_t begin;                  ///< its samples are [begin, end) of each order
        std::size_t end;
    };

    /// The samples of a node, in their order along a dimension.
    std::span<std::size_t> along(std::size_t dimension, const Node& node) {
        return std::span(orders_[dimension]).subspan(node.begin, node.end - node.begin);
    }

    double mean_of(const Node& node) {
        double sum = 0;
        for (const auto sample : along(0, node)) {
            sum += values_[sample];
        }
        return sum / static_cast<double>(node.end - node.begin);
    }

    /// Gains are differences of squares. Far from 0, rounding would destroy them, so the squares are of distances from
    /// the node's mean.
    Split best_split(const Node& node) {
        const auto samples = along(0, node);
        const bool is_flat =
            std::ranges::all_of(samples, [&](std::size_t each) { return values_[each] == values_[samples.front()]; });
        Split best;
        if (is_flat) {
            return best;
        }
        const double mean = mean_of(node);
        Sums all;
        for (const auto sample : samples) {
            all.add(values_[sample] - mean);
        }
        for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            const auto split = dimensions_[i].num_choices > 0 ? best_choice(along(i, node), i, mean, all)
                                                              : best_threshold(along(i, node), i, mean, all);
            if (split.gain > best.gain) {
                best = split;
            }
        }
        return best;
    }

    static double gain_of(const Sums& left, const Sums& all) {
        return left.explained() + all.without(left).explained() - all.explained();
    }

    Split best_choice(std::span<const std::size_t> samples, std::size_t dimension, double mean, const Sums& all) const {
        std::vector<Sums> of_choice(static_cast<std::size_t>(dimensions_[dimension].num_choices));
        for (const auto sample : samples) {
            of_choice[static_cast<std::size_t>(places_[dimension][sample])].add(values_[sample] - mean);
        }
        Split best;
        for (std::size_t i = 0; i < of_choice.size(); ++i) {
            const auto& sums = of_choice[i];
            if (sums.count > 0 && sums.count < all.count && gain_of(sums, all) > best.gain) {
                best = {gain_of(sums, all), dimension, static_cast<double>(i)};
            }
        }
        return best;
    }

    Split best_threshold(std::span<const std::size_t> samples, std::size_t dimension, double mean,
                         const Sums& all) const {
        const auto& places = places_[dimension];
        Split best;
        Sums left;
        for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
            left.add(values_[samples[i]] - mean);
            const double here = places[samples[i]];
            const double next = places[samples[i + 1]];
            if (here < next && gain_of(left, all) > best.gain) {
                const double middle = here + (next - here) / 2;  // between adjacent doubles, it may be the upper one
                best = {gain_of(left, all), dimension, middle < next ? middle : here};
            }
        }
        return best;
    }

    std::pair<Node, Node> divide(Node node, const Split& split) {
        const int num_choices = dimensions_[split.dimension].num_choices;
        const auto& places = places_[split.dimension];
        const auto is_left = [&](std::size_t sample) {
            return num_choices > 0 ? places[sample] == split.at : places[sample] <= split.at;
        };
        for (const auto sample : along(0, node)) {
            goes_left_[sample] = is_left(sample) ? 1 : 0;
        }
        auto middle = node.begin;
        for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            const auto samples = along(i, node);
            std::size_t num_left = 0;
            std::size_t num_right = 0;
            for (const auto sample : samples) {  // without branches, which would be unpredictable
                samples[num_left] = sample;
                to_the_right_[num_right] = sample;
                num_left += goes_left_[sample];
                num_right += 1 - goes_left_[sample];
            }
            std::copy_n(to_the_right_.begin(), num_right, samples.begin() + static_cast<std::ptrdiff_t>(num_left));
            middle = node.begin + num_left;
        }
        auto& side = node.sides[split.dimension];
        Node left{node.sides, node.begin, middle};
        auto& left_side = left.sides[split.dimension];
        if (num_choices > 0) {
            left_side.choices = bit(split.at);
            side.choices &= choices_of(num_choices) & ~bit(split.at);
        } else {
            left_side.high = split.at;
            side.low = split.at;
        }
        node.begin = middle;
        return {std::move(left), std::move(node)};
    }

    const std::vector<Dimension>& dimensions_;
    std::vector<double> values_;                    // by sample
    std::vector<std::vector<double>> places_;       // by dimension, then by sample
    std::vector<std::vector<std::size_t>> sorted_;  // by dimension: all samples, sorted by their places along it
    std::vector<std::vector<std::size_t>> orders_;  // as sorted_, for the present tree; a node's samples are together
    std::vector<std::size_t> goes_left_;            // by sample: 1 if it goes left when a node is divided, else 0
    std::vector<std::size_t> to_the_right_;         // the samples of one order that go right
};

}  // namespace

double Side::share(const Dimension& dimension) const {
    return dimension.num_choices > 0 ? static_cast<double>(std::popcount(choices)) / dimension.num_choices : high - low;
}

RegressionForest::RegressionForest(std::vector<Dimension> dimensions, std::span<const Sample> samples, int num_trees,
                                   std::uint64_t seed)
    : dimensions_(std::move(dimensions)) {
    CRESCENDO_EXPECT(!samples.empty() && !dimensions_.empty());
    Grower grower(dimensions_, samples);
    for (int tree = 0; tree < num_trees; ++tree) {
        CounterRandom random(seed, static_cast<std::uint64_t>(tree));
        std::vector<std::size_t> times(samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            ++times[random.below(samples.size())];
        }
        trees_.push_back(grower.grow(times));
    }
}

}  // namespace crescendo::analysis
