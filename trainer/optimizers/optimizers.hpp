#pragma once

#include <memory>

#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Table of all optimizers, by their word in the setting `optimizer`.
OptimizerTable optimizers();

/// `sgd`: stochastic gradient descent, with optional (Nesterov) momentum.
std::shared_ptr<OptimizerSpec> read_sgd(Section& section);

/// `adam` (Kingma and Ba, ICLR 2015), with weight decay added to the gradient.
std::shared_ptr<OptimizerSpec> read_adam(Section& section);

/// `adamw`: Adam with decoupled weight decay (Loshchilov and Hutter, ICLR 2019).
std::shared_ptr<OptimizerSpec> read_adamw(Section& section);

/// `nadamw`: AdamW with Nesterov's momentum (Dozat, "Incorporating Nesterov Momentum into Adam", 2016), as torch's
/// NAdam with decoupled weight decay.
std::shared_ptr<OptimizerSpec> read_nadamw(Section& section);

/// `rmsprop` (Tieleman and Hinton, 2012), with optional momentum and optional centering (Graves, 2013), and with weight
/// decay added to the gradient.
std::shared_ptr<OptimizerSpec> read_rmsprop(Section& section);

/// `lamb` (You et al., "Large Batch Optimization for Deep Learning", ICLR 2020): Adam with the step of each layer
/// rescaled to the norm of the layer's weights, times the learning rate. Biases, scales and shifts take Adam's step.
std::shared_ptr<OptimizerSpec> read_lamb(Section& section);

/// `lars` (You, Gitman and Ginsburg, "Large Batch Training of Convolutional Networks", 2017): sgd with momentum, with a
/// learning rate per layer that depends on the norms of its weights and its gradient. Biases, scales and shifts take
/// the step of sgd.
std::shared_ptr<OptimizerSpec> read_lars(Section& section);

/// `adafactor` (Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", ICML 2018), in
/// torch's variant. For a matrix it keeps one number per row and per column. A convolution kernel counts as matrices of
/// its last two axes.
std::shared_ptr<OptimizerSpec> read_adafactor(Section& section);

/// `schedule_free`: Schedule-Free AdamW (Defazio et al., "The Road Less Scheduled", NeurIPS 2024). The parameters are
/// the points y at which gradients are computed. Evaluations use the average x of the points z, which AdamW would
/// reach.
std::shared_ptr<OptimizerSpec> read_schedule_free(Section& section);

}  // namespace crescendo::trainer
