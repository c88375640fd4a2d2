#include "trainer/models/unfilled_weights.hpp"

#include <ATen/core/Generator.h>
#include <torch/library.h>

namespace crescendo::trainer {

namespace {

/// Torch reserves this key for programs that defer the initialization of modules, and has no kernels of its own for it.
constexpr auto unfilled = c10::DispatchKey::DeferredInit;

at::Tensor& leave_as_it_is(at::Tensor& tensor, double, double, std::optional<at::Generator>) { return tensor; }

TORCH_LIBRARY_IMPL(_, DeferredInit, library) { library.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, DeferredInit, library) {
    library.impl("uniform_", leave_as_it_is);
    library.impl("normal_", leave_as_it_is);
}

}  // namespace

UnfilledWeights::UnfilledWeights() : guard_(unfilled) {}

}  // namespace crescendo::trainer
