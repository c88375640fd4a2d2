#pragma once

#include <torch/library.h>

#include <memory>

namespace crescendo::trainer {

/// While this lives, oneDNN instead of MKL computes torch's large float32 matrix products on AMD processors with
/// AVX-512. oneDNN is twice as fast there, because MKL has AVX-512 kernels for Intel processors only. Nothing changes
/// on other processors and for other products.
///
/// It replaces torch's own kernels, so layers, their gradients and the models of plug-ins all benefit. At most one
/// object may exist at a time.
class MatrixProducts {
  public:
    MatrixProducts();

    /// Whether oneDNN computes large products on this machine.
    bool replaced() const { return static_cast<bool>(kernels_); }

  private:
    std::unique_ptr<torch::Library> kernels_;
};

}  // namespace crescendo::trainer
