#include "trainer/optimizers/optimizer.hpp"

#include <utility>

namespace crescendo::trainer {

void Optimizer::step(double learning_rate) {
    update(learning_rate);
    ++num_steps_;
}

std::vector<Optimizer::StateTensor> Optimizer::state() const {
    std::vector<StateTensor> all;
    if (num_steps_ == 0) {
        return all;
    }
    for (const auto& parameter : parameters_) {
        for (auto& [name, tensor] : state_of(parameter.tensor)) {
            all.push_back({parameter.name, std::move(name), std::move(tensor)});
        }
    }
    return all;
}

void Optimizer::reset(std::int64_t num_steps) {
    num_steps_ = num_steps;
    forget_state();
    if (num_steps == 0) {
        return;
    }
    for (const auto& parameter : parameters_) {
        make_state(parameter.tensor, num_steps);
    }
}

}  // namespace crescendo::trainer
