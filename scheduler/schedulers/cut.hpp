#pragma once

#include <cstddef>
#include <vector>

#include "core/ids.hpp"

namespace crescendo {

/// A trial's loss. If losses are equal, the lower trial id is the better result.
struct Result {
    double loss;  ///< finite, or +infinity
    TrialId trial;

    friend auto operator<=>(const Result&, const Result&) = default;
};

/// Results cut in two: the best ones and the rest.
///
/// The order in which results arrive does not change the cut. Two heaps meet at the cut, so an insertion costs
/// O(log n), and the two results beside the cut are found in O(1).
class Cut {
  public:
    /// Adds a result and moves the cut: from now on, the best `num_best` results, at most all, are before it.
    void insert(const Result& result, std::size_t num_best);

    /// Removes a result, which must be there, and moves the cut as insert() does.
    void erase(const Result& result, std::size_t num_best);

    std::size_t size() const { return best_.size() + rest_.size(); }
    bool is_among_best(const Result& result) const { return !best_.empty() && result <= best_.front(); }

    /// The last result before the cut; there must be one.
    const Result& worst_of_best() const;
    /// The first result after the cut; there must be one.
    const Result& best_of_rest() const;

  private:
    void cut(std::size_t num_best);

    std::vector<Result> best_;  // a heap, worst first
    std::vector<Result> rest_;  // a heap, best first
};

/// The number of best results, out of n, before the cut that quantile() needs.
inline std::size_t num_up_to_quantile(std::size_t n, std::size_t parts) { return n == 0 ? 0 : (n - 1) / parts + 1; }

/// The linearly interpolated 1/parts quantile of the losses; +infinity if there are none. The results must be cut at
/// num_up_to_quantile().
double quantile(const Cut& results, std::size_t parts);

}  // namespace crescendo
