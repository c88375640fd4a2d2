#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace crescendo::analysis {

/// One coordinate of the samples: a number in [0, 1], or one of several choices without an order.
struct Dimension {
    static constexpr int most_choices = 64;

    int num_choices = 0;  ///< 0: a number; else the choices 0, 1, …, at most `most_choices` of them
};

/// A value at a place.
struct Sample {
    std::vector<double> place;  ///< a coordinate for each dimension; a choice is a whole number
    double value = 0;           ///< must be finite
};

/// Extent of a box along one dimension.
struct Side {
    double low = 0;
    double high = 1;
    std::uint64_t choices = ~std::uint64_t{0};  ///< for dimensions of choices: bit c is set if the box has choice c

    /// Share of the dimension that is in the box.
    double share(const Dimension& dimension) const;
};

/// A box in which a tree predicts one value.
struct Leaf {
    std::map<std::size_t, Side> sides;  ///< only the dimensions along which the box is limited, usually a few
    double value = 0;

    Side side(std::size_t dimension) const {
        const auto found = sides.find(dimension);
        return found == sides.end() ? Side{} : found->second;
    }
};

/// A tree is represented by its leaves, which fill the whole space and do not overlap.
using Tree = std::vector<Leaf>;

/// Regression trees, each fully grown from a bootstrap sample of the samples.
///
/// Source: Breiman, "Random Forests", Machine Learning 45 (2001), with all dimensions considered at each split. A split
/// separates one choice from all others, or smaller numbers from greater ones, whichever lowers the sum of squared
/// errors most. Equal samples and seeds give equal forests on every machine.
class RegressionForest {
  public:
    /// `dimensions` and `samples` must not be empty.
    RegressionForest(std::vector<Dimension> dimensions, std::span<const Sample> samples, int num_trees = 64,
                     std::uint64_t seed = 1);

    const std::vector<Dimension>& dimensions() const { return dimensions_; }
    const std::vector<Tree>& trees() const { return trees_; }

  private:
    std::vector<Dimension> dimensions_;
    std::vector<Tree> trees_;
};

}  // namespace crescendo::analysis
