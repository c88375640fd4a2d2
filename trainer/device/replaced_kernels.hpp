#pragma once

#include <torch/library.h>

#include <memory>

namespace crescendo::trainer {

/// Puts kernels in the place of torch's, as long as what it returns lives. `put` is called with a torch::Library of
/// "aten". Torch warns of kernels that are replaced; this is not heard.
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
