#pragma once

#include <torch/nn/modules/container/any.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/words.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

enum class Norm {
    batch,       ///< over the samples that one worker runs at once
    sync_batch,  ///< over the samples that all workers of the group run at once
    group,       ///< over groups of a sample's channels (Wu and He, ECCV 2018)
    none,
};

/// The words of the setting `norm`.
inline constexpr Words norms{
    {std::pair{Norm::batch, "batch"}, {Norm::sync_batch, "sync_batch"}, {Norm::group, "group"}, {Norm::none, "none"}}};

/// Reads the setting `norm`.
void read_norm(Section& section, Norm& norm);

/// The normalization of a convolution's outputs.
class ChannelNorm {
  public:
    /// Makes a norm that changes nothing.
    ChannelNorm() = default;

    /// Registers the norm of (samples, channels, ...) as the module `name` of `parent`. Norm::none registers nothing.
    ChannelNorm(torch::nn::Module& parent, const std::string& name, Norm norm, std::int64_t channels);

    at::Tensor operator()(const at::Tensor& x) { return module_.is_empty() ? x : module_.forward(x); }

  private:
    torch::nn::AnyModule module_;
};

}  // namespace crescendo::trainer
