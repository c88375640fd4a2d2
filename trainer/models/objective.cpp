#include "trainer/models/objective.hpp"

#include <ATen/ATen.h>

#include "trainer/settings/loss_spec.hpp"

namespace crescendo::trainer {

namespace {

at::Tensor sum_of_numbers(const LossSettings& settings, const at::Tensor& outputs, const at::Tensor& targets) {
    switch (settings.loss) {
        case Loss::mae:
            return at::l1_loss(outputs, targets, at::Reduction::Sum);
        case Loss::huber:
            return at::huber_loss(outputs, targets, at::Reduction::Sum, settings.huber_delta);
        case Loss::bce:
            return at::binary_cross_entropy_with_logits(outputs, targets, /*weight=*/{}, /*pos_weight=*/{},
                                                        at::Reduction::Sum);
        default:
            return at::mse_loss(outputs, targets, at::Reduction::Sum);
    }
}

}  // namespace

at::Tensor loss_sum(const LossSettings& settings, const Task& task, const at::Tensor& outputs,
                    const at::Tensor& targets) {
    if (settings.of_plugin) {
        return settings.of_plugin->sum(outputs, targets);
    }
    if (task.kind == Task::Kind::classification) {
        const at::Tensor weights =
            settings.weighs_classes() ? at::tensor(task.class_weights, outputs.options()) : at::Tensor();
        return at::cross_entropy_loss(outputs, targets, weights, at::Reduction::Sum, /*ignore_index=*/-100,
                                      settings.label_smoothing);
    }
    if (settings.loss == Loss::relative_l2) {
        return relative_errors(outputs, targets).sum();
    }
    return sum_of_numbers(settings, outputs, targets) / static_cast<double>(task.num_outputs);
}

at::Tensor relative_errors(const at::Tensor& outputs, const at::Tensor& targets) {
    const at::Tensor length = at::linalg_vector_norm(targets, 2, 1);
    return at::linalg_vector_norm(outputs - targets, 2, 1) / length.masked_fill(length == 0, 1.0);
}

at::Tensor num_correct(const at::Tensor& outputs, const at::Tensor& targets) {
    return (outputs.argmax(1) == targets).sum();
}

}  // namespace crescendo::trainer
