#include "trainer/models/objective.hpp"

#include <ATen/ATen.h>

namespace crescendo::trainer {

at::Tensor loss_sum(const Task& task, const at::Tensor& outputs, const at::Tensor& targets) {
    if (task.kind == Task::Kind::classification) {
        return at::cross_entropy_loss(outputs, targets, /*weight=*/{}, at::Reduction::Sum);
    }
    return at::mse_loss(outputs, targets, at::Reduction::Sum) / static_cast<double>(task.num_outputs);
}

at::Tensor num_correct(const at::Tensor& outputs, const at::Tensor& targets) {
    return (outputs.argmax(1) == targets).sum();
}

}  // namespace crescendo::trainer
