#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/data/batch.hpp"
#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Changes training samples at random: mirrors them, shifts them, covers a part, adds noise.
///
/// The changes to a sample depend on a hash of its key, as in Dropout. So they differ from epoch to epoch, do not
/// depend on the worker, and need no saved state.
class Augmentation {
  public:
    explicit Augmentation(const AugmentationSettings& settings) : settings_(settings) {}

    /// Whether the settings change samples. If not, operator() must not be called.
    bool changes() const { return settings_.moves() || settings_.cutout > 0 || settings_.noise > 0; }

    /// Returns the changed samples of a batch, which has at least one. `keys` (samples) are dropout_keys() on the
    /// batch's device. The target of a reconstruction is the mirrored and shifted input, without cutout and noise.
    Batch operator()(const Batch& batch, const at::Tensor& keys, Task::Kind kind);

  private:
    at::Tensor moved(const at::Tensor& images, const at::Tensor& draws) const;
    at::Tensor covered(const at::Tensor& images, const at::Tensor& draws) const;
    at::Tensor noisy(const at::Tensor& inputs, const at::Tensor& keys);

    AugmentationSettings settings_;
    at::Tensor draw_keys_;   ///< keys of a sample's random numbers; made at first use, like noise_keys_
    at::Tensor noise_keys_;  ///< keys of the noise: two per number of a sample
};

}  // namespace crescendo::trainer
