#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trainer/models/layers/batch_norm.hpp"

namespace crescendo::trainer {

/// Sums numbers over the members of a group, element by element and in place. All members call it in the same order,
/// with the same number of elements. Its exceptions end a forward() or backward(), which throws them unchanged.
using SumOverGroup = std::function<void(at::Tensor& numbers)>;

/// Batch normalization (Ioffe and Szegedy, ICML 2015) by the mean and variance of all samples that the members of a
/// group run at once. So training gives the same results, to rounding, for any number of members that share these
/// samples. Without a group it equals BatchNorm, to the last bit. As in BatchNorm, a channel's single value changes no
/// statistics, in a group too.
///
/// `x` is (samples, channels, ...). Members may have different numbers of samples, also none; each weighs by its number
/// of values. All members must call forward(), and then backward(), equally often and in the same order of layers,
/// because each call sums numbers over the group: in forward() a mean, a mean square and a count (2 x channels + 1
/// numbers of float64), in backward() the sums of the gradient, and of its product with the normalised values (2 x
/// channels numbers). All members then have the same running statistics, bit for bit.
///
/// Gradients of parameters cover only the member's own samples. As in any other layer, the members' gradients add up to
/// those of the whole batch.
class SyncBatchNorm : public BatchNorm {
  public:
    using BatchNorm::BatchNorm;

    at::Tensor forward(const at::Tensor& x);

    /// Makes forward() in training use the statistics of the group over which `sum` sums. Null: of its own samples
    /// only.
    void set_group(SumOverGroup sum) { sum_ = std::move(sum); }

  private:
    SumOverGroup sum_;
};

/// The SyncBatchNorms of a network.
std::vector<std::shared_ptr<SyncBatchNorm>> synchronized_norms(const torch::nn::Module& network);

/// While it lives, the norms use the statistics of a group. `norms` must outlive it.
class NormsInGroup {
  public:
    NormsInGroup(const std::vector<std::shared_ptr<SyncBatchNorm>>& norms, const SumOverGroup& sum);
    NormsInGroup(const NormsInGroup&) = delete;
    NormsInGroup& operator=(const NormsInGroup&) = delete;
    ~NormsInGroup();

  private:
    const std::vector<std::shared_ptr<SyncBatchNorm>>& norms_;
};

}  // namespace crescendo::trainer
