#pragma once

#include <torch/library.h>

#include <memory>

namespace crescendo::trainer {

/// As long as this lives, oneDNN computes torch's large matrix products of float32 on processors where it is twice as
/// fast as MKL, which torch takes for them: those of AMD with AVX-512, for MKL has kernels of that width for Intel's
/// alone. Elsewhere, and for all other products, nothing changes.
///
/// It stands in for torch's own kernels, so layers, their gradients and the models of plug-ins all have it. There is
/// one at a time.
class MatrixProducts {
  public:
    MatrixProducts();

    /// Whether oneDNN computes products here.
    bool replaced() const { return static_cast<bool>(kernels_); }

  private:
    std::unique_ptr<torch::Library> kernels_;
};

}  // namespace crescendo::trainer
