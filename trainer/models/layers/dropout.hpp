#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Keys that decide which units training drops for each sample: one int32 per sample, in host memory. For a given seed,
/// a sample has a different key in every epoch. Keys do not depend on the worker or the micro-batch.
at::Tensor dropout_keys(std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& samples);

/// Keys of a layer's units, which give each unit its own random number for a sample: (num_units) of int32, in host
/// memory.
at::Tensor unit_keys(std::int64_t layer, std::int64_t num_units);

/// Hashes of the samples' and units' keys: (samples, units) of int32, uniformly distributed. The upper bits are better
/// than the lower ones.
at::Tensor hashed(const at::Tensor& sample_keys, const at::Tensor& unit_keys);

/// Seeds torch's generator from the samples' keys (in host memory), for networks that draw from it. Undefined keys, as
/// outside of training, give the seed of an empty batch.
void seed_generator(const at::Tensor& keys);

/// Reads the setting `dropout`: the share of units to drop.
inline void read_dropout(Section& section, double& share) {
    section.number("dropout", share, {.min = 0.0, .below = 1.0});
}

/// Drops a share of a layer's units in training, and scales up those that stay (Srivastava et al., JMLR 2014).
///
/// The mask of a sample is a hash of its key, the layer and the unit. So masks do not depend on the number of workers
/// that share a batch, and there is no state to save. (torch's dropout takes the next numbers of a generator.)
class Dropout {
  public:
    Dropout(double share, std::int64_t layer) : share_(share), layer_(layer) {}

    /// Whether there is anything to drop.
    bool drops() const { return share_ > 0.0; }

    /// `x` is (samples, units...), with the same number of units in every call. `keys` (samples) is on the same device.
    /// Outside of training `keys` is undefined, and nothing is dropped.
    at::Tensor operator()(const at::Tensor& x, const at::Tensor& keys);

  private:
    double share_;
    std::int64_t layer_;
    at::Tensor unit_keys_;  ///< (units) of int32, on the device of `x`; made at first use
};

}  // namespace crescendo::trainer
