#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace crescendo::trainer {

/// What decides, sample by sample, which units training drops: an int32 for each, in host memory. A sample has another
/// key in every epoch of a seed, and the same one wherever it lies: on whichever worker, in whichever micro-batch.
at::Tensor dropout_keys(std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& samples);

/// Drops a share of a layer's units in training, and scales up those that stay (Srivastava et al., JMLR 2014).
///
/// The mask of a sample is a hash of its key, the layer and the unit, where torch's dropout takes the next numbers of a
/// generator: so no mask depends on how many workers share a batch, and there is no state to be kept.
class Dropout {
  public:
    Dropout(double share, std::int64_t layer) : share_(share), layer_(layer) {}

    /// `x` (samples, units...) of always as many units; `keys` (samples) on the same device, or undefined outside of
    /// training: nothing is dropped.
    at::Tensor operator()(const at::Tensor& x, const at::Tensor& keys);

  private:
    double share_;
    std::int64_t layer_;
    at::Tensor unit_keys_;  ///< (units) of int32, where x is; made at first use
};

}  // namespace crescendo::trainer
