#include "trainer/models/layers/batch_norm.hpp"

#include <ATen/ATen.h>

namespace crescendo::trainer {

void BatchNorm::_check_input_dim(const at::Tensor& x) {
    TORCH_CHECK(x.dim() >= 2, "a batch norm takes (samples, channels, ...), not ", x.dim(), " axes");
}

at::Tensor BatchNorm::forward(const at::Tensor& x) {
    if (!is_training() || x.numel() != options.num_features()) {
        return BatchNormImplBase::forward(x);
    }
    return at::batch_norm(x, weight, bias, running_mean, running_var, /*training=*/false, options.momentum().value(),
                          options.eps(), at::globalContext().userEnabledCuDNN());
}

}  // namespace crescendo::trainer
