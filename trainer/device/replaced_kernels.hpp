#pragma once

#include <torch/library.h>

#include <memory>

namespace crescendo::trainer {

/// Replaces torch's kernels as long as the returned object lives. `put` gets a torch::Library of "aten" and registers
/// the kernels. Torch's warnings about replaced kernels are suppressed.
template <class Put>
std::unique_ptr<torch::Library> replace_kernels(c10::DispatchKey key, const Put& put) {
    struct Silence : c10::WarningHandler {
        void process(const c10::Warning&) override {}
    } silence;
    const c10::WarningUtils::WarningHandlerGuard guard(&silence);
    auto kernels = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
    put(*kernels);
    return kernels;
}

}  // namespace crescendo::trainer
