#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/data/batch.hpp"
#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Changes training samples at random: mirrors them, shifts them, covers a part, adds noise.
///
/// What happens to a sample follows from a hash of its key, as with Dropout. So it differs from epoch to epoch, does
/// not depend on the worker, and needs no state.
class Augmentation {
  public:
    explicit Augmentation(const AugmentationSettings& settings) : settings_(settings) {}

    /// Whether there is anything to do. If not, it must not be called.
    bool changes() const { return settings_.moves() || settings_.cutout > 0 || settings_.noise > 0; }

    /// The samples of a batch, at least one, as they are to be learned. `keys` (samples) are those of dropout_keys(),
    /// on the batch's device. The target of a reconstruction is the input as it was mirrored and shifted, but whole
    /// and without noise.
    Batch operator()(const Batch& batch, const at::Tensor& keys, Task::Kind kind);

  private:
    at::Tensor moved(const at::Tensor& images, const at::Tensor& draws) const;
    at::Tensor covered(const at::Tensor& images, const at::Tensor& draws) const;
    at::Tensor noisy(const at::Tensor& inputs, const at::Tensor& keys);

    AugmentationSettings settings_;
    at::Tensor draw_keys_;   ///< of the numbers that a sample draws; made at first use, as those below
    at::Tensor noise_keys_;  ///< of the numbers of a sample's noise, each of which takes two
};

}  // namespace crescendo::trainer
