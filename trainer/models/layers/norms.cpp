#include "trainer/models/layers/norms.hpp"

#include <torch/nn/modules/normalization.h>

#include <memory>
#include <numeric>

#include "trainer/models/layers/sync_batch_norm.hpp"

namespace crescendo::trainer {

using torch::nn::AnyModule;

namespace {

constexpr std::int64_t most_groups = 8;  ///< groups of channels of a group norm

}  // namespace

void read_norm(Section& section, Norm& norm) { section.choice("norm", norm, norms); }

ChannelNorm::ChannelNorm(torch::nn::Module& parent, const std::string& name, Norm norm, std::int64_t channels) {
    switch (norm) {
        case Norm::batch:
            module_ = AnyModule(parent.register_module(name, std::make_shared<BatchNorm>(channels)));
            break;
        case Norm::sync_batch:
            module_ = AnyModule(parent.register_module(name, std::make_shared<SyncBatchNorm>(channels)));
            break;
        case Norm::group:
            module_ = AnyModule(
                parent.register_module(name, torch::nn::GroupNorm(std::gcd(channels, most_groups), channels)));
            break;
        case Norm::none:
            break;
    }
}

}  // namespace crescendo::trainer
