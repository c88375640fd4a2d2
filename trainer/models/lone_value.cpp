#include "trainer/models/lone_value.hpp"

#include <ATen/ATen.h>

#include <exception>
#include <vector>

#include "trainer/protocol/error_words.hpp"

namespace crescendo::trainer {
namespace {

/// Keeps batch norms in evaluation mode while this lives.
class EvaluatedNorms {
  public:
    explicit EvaluatedNorms(const std::function<void(bool)>& evaluate) : evaluate_(evaluate) { evaluate_(true); }
    EvaluatedNorms(const EvaluatedNorms&) = delete;
    EvaluatedNorms& operator=(const EvaluatedNorms&) = delete;
    ~EvaluatedNorms() { evaluate_(false); }

  private:
    const std::function<void(bool)>& evaluate_;
};

}  // namespace

at::Tensor run_with_lone_value(const torch::nn::Module& network, std::int64_t num_samples,
                               const std::function<at::Tensor()>& forward,
                               const std::function<void(bool)>& evaluate_norms) {
    if (num_samples != 1 || !network.is_training()) {
        return forward();
    }
    const auto buffers = network.buffers();
    std::vector<at::Tensor> before;
    for (const auto& buffer : buffers) {
        before.push_back(buffer.detach().clone());
    }
    try {
        return forward();
    } catch (const std::exception& error) {
        if (!lacks_batch_statistics(error.what())) {
            throw;
        }
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        buffers[i].detach().copy_(before[i]);
    }
    const EvaluatedNorms evaluated(evaluate_norms);
    return forward();
}

}  // namespace crescendo::trainer
