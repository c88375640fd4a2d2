#include "analysis/regression_forest.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"

namespace crescendo::analysis {
namespace {

std::uint64_t bit(double choice) { return std::uint64_t{1} << static_cast<unsigned>(choice); }

/// Where to divide a node. Without a gain there is nothing to divide.
struct Split {
    double gain = 0;
    std::size_t dimension = 0;
    double at = 0;  ///< a threshold, or the choice that goes to the left
};

/// Sums of values: what the squared error of a mean needs.
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

/// Grows one tree from samples, which may be given several times.
class Grower {
  public:
    Grower(const std::vector<Dimension>& dimensions, std::span<const Sample> samples)
        : dimensions_(dimensions), samples_(samples) {}

    Tree grow(std::vector<std::size_t> chosen) {
        Node root{whole_space(), {}, std::move(chosen)};
        std::vector<Node> open;
        open.push_back(std::move(root));
        Tree leaves;
        while (!open.empty()) {
            Node node = std::move(open.back());
            open.pop_back();
            const auto split = best_split(node.chosen);
            if (split.gain <= 0) {
                leaves.push_back({std::move(node.sides), std::move(node.divided), mean_of(node.chosen)});
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
        std::vector<Side> sides;
        std::vector<std::size_t> divided;  ///< as of a leaf
        std::vector<std::size_t> chosen;  ///< samples in the box
    };

    double place(std::size_t sample, std::size_t dimension) const { return samples_[sample].place[dimension]; }
    double value(std::size_t sample) const { return samples_[sample].value; }

    std::vector<Side> whole_space() const {
        std::vector<Side> sides(dimensions_.size());
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const int choices = dimensions_[i].num_choices;
            sides[i].choices =
                choices == Dimension::most_choices ? ~std::uint64_t{0} : (std::uint64_t{1} << choices) - 1;
        }
        return sides;
    }

    double mean_of(const std::vector<std::size_t>& chosen) const {
        double sum = 0;
        for (const auto sample : chosen) {
            sum += value(sample);
        }
        return sum / static_cast<double>(chosen.size());
    }

    /// Gains are differences of squares. Of values far from 0 rounding would leave nothing of them, so squares are
    /// those of distances from the mean of the node.
    Split best_split(std::vector<std::size_t>& chosen) const {
        const bool is_flat =
            std::ranges::all_of(chosen, [&](std::size_t sample) { return value(sample) == value(chosen.front()); });
        Split best;
        if (is_flat) {
            return best;
        }
        const double mean = mean_of(chosen);
        Sums all;
        for (const auto sample : chosen) {
            all.add(value(sample) - mean);
        }
        for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            const auto split = dimensions_[i].num_choices > 0 ? best_choice(chosen, i, mean, all)
                                                              : best_threshold(chosen, i, mean, all);
            if (split.gain > best.gain) {
                best = split;
            }
        }
        return best;
    }

    static double gain_of(const Sums& left, const Sums& all) {
        return left.explained() + all.without(left).explained() - all.explained();
    }

    Split best_choice(const std::vector<std::size_t>& chosen, std::size_t dimension, double mean,
                      const Sums& all) const {
        std::vector<Sums> of_choice(static_cast<std::size_t>(dimensions_[dimension].num_choices));
        for (const auto sample : chosen) {
            of_choice[static_cast<std::size_t>(place(sample, dimension))].add(value(sample) - mean);
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

    Split best_threshold(std::vector<std::size_t>& chosen, std::size_t dimension, double mean, const Sums& all) const {
        std::ranges::sort(chosen, {}, [&](std::size_t sample) { return std::pair(place(sample, dimension), sample); });
        Split best;
        Sums left;
        for (std::size_t i = 0; i + 1 < chosen.size(); ++i) {
            left.add(value(chosen[i]) - mean);
            const double here = place(chosen[i], dimension);
            const double next = place(chosen[i + 1], dimension);
            if (here < next && gain_of(left, all) > best.gain) {
                const double middle = here + (next - here) / 2;  // of neighbours among doubles, it may be the upper one
                best = {gain_of(left, all), dimension, middle < next ? middle : here};
            }
        }
        return best;
    }

    std::pair<Node, Node> divide(Node node, const Split& split) const {
        const bool by_choice = dimensions_[split.dimension].num_choices > 0;
        if (const auto at = std::ranges::lower_bound(node.divided, split.dimension);
            at == node.divided.end() || *at != split.dimension) {
            node.divided.insert(at, split.dimension);
        }
        Node left{node.sides, node.divided, {}};
        Node right{std::move(node.sides), std::move(node.divided), {}};
        auto& left_side = left.sides[split.dimension];
        auto& right_side = right.sides[split.dimension];
        if (by_choice) {
            left_side.choices = bit(split.at);
            right_side.choices &= ~bit(split.at);
        } else {
            left_side.high = split.at;
            right_side.low = split.at;
        }
        for (const auto sample : node.chosen) {
            const double at = place(sample, split.dimension);
            (by_choice ? at == split.at : at <= split.at) ? left.chosen.push_back(sample)
                                                          : right.chosen.push_back(sample);
        }
        return {std::move(left), std::move(right)};
    }

    const std::vector<Dimension>& dimensions_;
    std::span<const Sample> samples_;
};

}  // namespace

double Side::share(const Dimension& dimension) const {
    return dimension.num_choices > 0 ? static_cast<double>(std::popcount(choices)) / dimension.num_choices : high - low;
}

RegressionForest::RegressionForest(std::vector<Dimension> dimensions, std::span<const Sample> samples, int num_trees,
                                   std::uint64_t seed)
    : dimensions_(std::move(dimensions)) {
    CRESCENDO_EXPECT(!samples.empty());
    Grower grower(dimensions_, samples);
    for (int tree = 0; tree < num_trees; ++tree) {
        CounterRandom random(seed, static_cast<std::uint64_t>(tree));
        std::vector<std::size_t> chosen(samples.size());
        for (auto& each : chosen) {
            each = random.below(samples.size());
        }
        trees_.push_back(grower.grow(std::move(chosen)));
    }
}

}  // namespace crescendo::analysis
