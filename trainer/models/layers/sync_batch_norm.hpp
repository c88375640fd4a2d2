#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trainer/models/layers/batch_norm.hpp"

namespace crescendo::trainer {

/// Adds numbers up over the members of a group, element by element and in place. All members call it with as many
/// numbers, in the same order. What it throws ends a forward() or a backward(), and comes out there as it is.
using SumOverGroup = std::function<void(at::Tensor& numbers)>;

/// Batch normalization (Ioffe and Szegedy, ICML 2015) by the mean and variance of all samples that the members of a
/// group run at once. What is learned is then the same for any number of members that share these samples, to rounding.
/// Without a group it is BatchNorm, to the last bit; in a group too, a channel's single value teaches nothing.
///
/// `x` is (samples, channels, ...). The members may have different numbers of samples, also none: each counts as often
/// as it has values. A member must call forward(), and then backward(), as often as the others, in the same order of
/// layers, for each call adds numbers up over the group: in forward() a mean, a mean square and a count (2 x channels
/// + 1 numbers of float64), in backward() the sums of the gradient, and of its product with the normalised values
/// (2 x channels numbers). Every member then has the same running statistics, bit by bit.
///
/// Parameters' gradients are those of the member's own samples, so that the gradients of all members add up to those of
/// the whole batch, as with any other layer.
class SyncBatchNorm : public BatchNorm {
  public:
    using BatchNorm::BatchNorm;

    at::Tensor forward(const at::Tensor& x);

    /// In training, forward() takes the statistics of the group that `sum` adds up over; null: of its own samples.
    void set_group(SumOverGroup sum) { sum_ = std::move(sum); }

  private:
    SumOverGroup sum_;
};

/// The SyncBatchNorms of a network.
std::vector<std::shared_ptr<SyncBatchNorm>> synchronized_norms(const torch::nn::Module& network);

/// Has norms take the statistics of a group as long as this lives.
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
