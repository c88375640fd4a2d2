#include "trainer/models/objective.hpp"

#include <ATen/ATen.h>

#include "trainer/settings/loss_spec.hpp"

namespace crescendo::trainer {

namespace {

at::Tensor loss_of_numbers(const LossSettings& settings, const at::Tensor& outputs, const at::Tensor& targets,
                           at::Reduction::Reduction reduction) {
    switch (settings.loss) {
        case Loss::mae:
            return at::l1_loss(outputs, targets, reduction);
        case Loss::huber:
            return at::huber_loss(outputs, targets, reduction, settings.huber_delta);
        case Loss::bce:
            return at::binary_cross_entropy_with_logits(outputs, targets, /*weight=*/{}, /*pos_weight=*/{}, reduction);
        default:
            return at::mse_loss(outputs, targets, reduction);
    }
}

at::Tensor on_device(const std::vector<double>& weights, const at::Device& place) {
    return weights.empty() ? at::Tensor() : at::tensor(weights, at::kDouble).to(place);
}

/// Reshapes (samples, num_outputs) to images (samples, channels, rows, columns).
at::Tensor images(const Task& task, const at::Tensor& numbers) {
    return numbers.reshape({numbers.size(0), -1, std::ssize(task.row_weights), task.target_shape.back()});
}

/// The L2 norm of each sample, with row weights: (samples).
at::Tensor lengths(const Task& task, const LossWeights& weights, const at::Tensor& numbers) {
    if (task.row_weights.empty()) {
        return at::linalg_vector_norm(numbers, 2, 1);
    }
    const at::Tensor roots = weights.rows.to(numbers.scalar_type()).sqrt().unsqueeze(1);
    return at::linalg_vector_norm(images(task, numbers) * roots, 2, at::IntArrayRef{1, 2, 3});
}

}  // namespace

LossWeights loss_weights(const Task& task, const at::Device& place) {
    return {.classes = on_device(task.class_weights, place), .rows = on_device(task.row_weights, place)};
}

at::Tensor loss_sum(const LossSettings& settings, const Task& task, const LossWeights& weights,
                    const at::Tensor& outputs, const at::Tensor& targets) {
    if (settings.of_plugin) {
        return settings.of_plugin->sum(outputs, targets);
    }
    if (task.kind == Task::Kind::classification) {
        const at::Tensor of_classes =
            settings.weighs_classes() ? weights.classes.to(outputs.scalar_type()) : at::Tensor();
        return at::cross_entropy_loss(outputs, targets, of_classes, at::Reduction::Sum, /*ignore_index=*/-100,
                                      settings.label_smoothing);
    }
    if (settings.loss == Loss::relative_l2) {
        return relative_errors(task, weights, outputs, targets).sum();
    }
    const at::Tensor sum =
        task.row_weights.empty()
            ? loss_of_numbers(settings, outputs, targets, at::Reduction::Sum)
            : weighed_sum(task, weights, loss_of_numbers(settings, outputs, targets, at::Reduction::None));
    return sum / static_cast<double>(task.num_outputs);
}

at::Tensor weighed_sum(const Task& task, const LossWeights& weights, const at::Tensor& numbers) {
    if (task.row_weights.empty()) {
        return numbers.sum();
    }
    return images(task, numbers).sum(at::IntArrayRef{0, 1, 3}).dot(weights.rows.to(numbers.scalar_type()));
}

at::Tensor relative_errors(const Task& task, const LossWeights& weights, const at::Tensor& outputs,
                           const at::Tensor& targets) {
    const at::Tensor length = lengths(task, weights, targets);
    return lengths(task, weights, outputs - targets) / length.masked_fill(length == 0, 1.0);
}

at::Tensor num_correct(const at::Tensor& outputs, const at::Tensor& targets) {
    return (outputs.argmax(1) == targets).sum();
}

}  // namespace crescendo::trainer
