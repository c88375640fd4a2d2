#include "trainer/models/layers/sync_batch_norm.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

namespace crescendo::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Statistics of each channel's values over a group.
struct Statistics {
    at::Tensor mean;   ///< (channels), of the type of the values
    at::Tensor var;    ///< (channels), divided by the count
    at::Tensor count;  ///< values of a channel, float64; 0 if no member has samples

    /// float64: 1, or 0 if there are too few values to learn from. Like the count, it stays on the device, so that
    /// nothing waits for a GPU.
    at::Tensor teaches() const { return (count > 1).to(at::kDouble); }
};

at::Tensor at_least_one(const at::Tensor& count) { return count.clamp_min(1); }

/// Combines each member's mean and variance, which torch computes. It does so in float64, where the difference of the
/// mean square and the squared mean loses no float32 precision.
Statistics statistics_over_group(const at::Tensor& x, const SumOverGroup& sum) {
    const std::int64_t channels = x.size(1);
    const auto doubles = x.options().dtype(at::kDouble);
    at::Tensor sums = at::zeros({2 * channels + 1}, doubles);
    if (x.numel() > 0) {
        const auto [mean, var] = at::batch_norm_update_stats(x, /*running_mean=*/{}, /*running_var=*/{}, 0.0);
        const at::Tensor mean_here = mean.to(at::kDouble);
        const auto count_here = static_cast<double>(x.numel() / channels);
        sums = at::cat({mean_here, var.to(at::kDouble) + mean_here.square(), at::ones({1}, doubles)}) * count_here;
    }
    sum(sums);

    const at::Tensor count = sums[2 * channels];
    const at::Tensor mean = sums.narrow(0, 0, channels) / at_least_one(count);
    const at::Tensor mean_square = sums.narrow(0, channels, channels) / at_least_one(count);
    const auto type = x.scalar_type();
    return {.mean = mean.to(type), .var = (mean_square - mean.square()).clamp_min(0).to(type), .count = count};
}

/// Scales and shifts values by fixed statistics, as torch's batch normalization does in evaluation.
at::Tensor normalized(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& mean,
                      const at::Tensor& var, double eps) {
    if (x.numel() == 0) {
        return at::empty_like(x);
    }
    return std::get<0>(at::native_batch_norm(x, weight, bias, mean, var, /*training=*/false, /*momentum=*/0.0, eps));
}

/// Holds the SumOverGroup for backward(), because an AutogradContext can store only tensors and objects of this kind.
struct HeldSum : torch::CustomClassHolder {
    explicit HeldSum(SumOverGroup function) : sum(std::move(function)) {}
    SumOverGroup sum;
};

/// Normalises by statistics of all members' values, and propagates the gradient through these statistics.
struct Normalization : torch::autograd::Function<Normalization> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& bias, const Statistics& statistics, double eps,
                              const SumOverGroup& sum) {
        context->save_for_backward({x, weight, statistics.mean, statistics.var, statistics.count});
        context->saved_data["eps"] = eps;
        context->saved_data["sum"] = at::IValue::make_capsule(c10::make_intrusive<HeldSum>(sum));
        return normalized(x, weight, bias, statistics.mean, statistics.var, eps);
    }

    /// With the normalised values x^ and means over the group (Ioffe and Szegedy, section 3):
    /// dx = weight / sqrt(var + eps) * (dy - mean(dy) - x^ * mean(dy * x^)).
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &var = saved[3], &count = saved[4];
        const double eps = context->saved_data["eps"].toDouble();
        const auto held = context->saved_data["sum"].toCapsule();
        const at::Tensor dy = gradients[0].contiguous(x.suggest_memory_format());
        at::Tensor of_weight = at::zeros_like(weight);
        at::Tensor of_bias = at::zeros_like(weight);
        if (x.numel() > 0) {
            std::tie(std::ignore, of_weight, of_bias) = at::native_batch_norm_backward(
                dy, x, weight, mean, var, /*save_mean=*/{}, /*save_invstd=*/{}, /*train=*/false, eps,
                /*output_mask=*/{false, true, true});
        }
        at::Tensor sums = at::stack({of_weight, of_bias}).to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
        static_cast<HeldSum&>(*held).sum(sums);
        // A single value is normalised by the running statistics, which do not depend on it.
        const at::Tensor means = (sums / at_least_one(count) * (count > 1)).neg_().to(x.scalar_type());

        std::vector<std::int64_t> channels_of_x(static_cast<std::size_t>(x.dim()), 1);
        channels_of_x[1] = -1;
        at::Tensor dx = normalized(x, means[0], means[1], mean, var, eps).add_(dy);
        dx.mul_((weight * (var + eps).rsqrt()).view(channels_of_x));
        return {dx, of_weight, of_bias, {}, {}, {}};
    }
};

}  // namespace

at::Tensor SyncBatchNorm::forward(const at::Tensor& given) {
    if (!sum_ || !is_training()) {
        return BatchNorm::forward(given);
    }
    _check_input_dim(given);
    const at::Tensor x = given.to(weight.scalar_type());  // short types would round the statistics
    Statistics statistics = statistics_over_group(x.detach(), sum_);
    {
        const at::NoGradGuard no_gradients;
        const at::Tensor& count = statistics.count;
        const at::Tensor momentum = statistics.teaches() * options.momentum().value();
        const at::Tensor unbiased = statistics.var * (count / at_least_one(count - 1));
        running_mean.lerp_(statistics.mean, momentum.to(running_mean.scalar_type()));
        running_var.lerp_(unbiased.to(running_var.scalar_type()), momentum.to(running_var.scalar_type()));
        num_batches_tracked.add_(statistics.teaches().to(at::kLong));
        statistics.mean = at::where(count == 1, running_mean.to(x.scalar_type()), statistics.mean);
        statistics.var = at::where(count == 1, running_var.to(x.scalar_type()), statistics.var);
    }
    return Normalization::apply(x, weight, bias, statistics, options.eps(), sum_).to(given.scalar_type());
}

std::vector<std::shared_ptr<SyncBatchNorm>> synchronized_norms(const torch::nn::Module& network) {
    std::vector<std::shared_ptr<SyncBatchNorm>> found;
    for (const auto& module : network.modules(/*include_self=*/false)) {
        if (auto norm = std::dynamic_pointer_cast<SyncBatchNorm>(module)) {
            found.push_back(std::move(norm));
        }
    }
    return found;
}

NormsInGroup::NormsInGroup(const std::vector<std::shared_ptr<SyncBatchNorm>>& members, const SumOverGroup& sum)
    : norms_(members) {
    for (const auto& norm : norms_) {
        norm->set_group(sum);
    }
}

NormsInGroup::~NormsInGroup() {
    for (const auto& norm : norms_) {
        norm->set_group({});
    }
}

}  // namespace crescendo::trainer
