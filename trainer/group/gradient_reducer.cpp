#include "trainer/group/gradient_reducer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <torch/csrc/distributed/c10d/reducer.hpp>

namespace crescendo::trainer {

namespace {

/// A Reducer that keeps its initial buckets. It does not record the order in which gradients arrive, which would
/// otherwise grow forever.
class FixedReducer : public c10d::Reducer {
  public:
    FixedReducer(std::vector<at::Tensor> parameters, std::vector<std::vector<std::size_t>> buckets,
                 c10::intrusive_ptr<c10d::ProcessGroup> group)
        : Reducer(parameters, std::move(buckets), std::move(group), std::vector<bool>(parameters.size(), false),
                  c10d::kDefaultBucketBytesCap, /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true,
                  /*param_names=*/{}, c10d::kDefaultFirstBucketBytes, /*skip_all_reduce_unused_params=*/false,
                  /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/{}) {
        has_rebuilt_bucket_ = true;
    }
};

/// In reverse order, because backward reaches the last parameters first.
std::vector<std::vector<std::size_t>> bucket_layout(const std::vector<at::Tensor>& parameters) {
    const std::vector<at::Tensor> reversed(parameters.rbegin(), parameters.rend());
    auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(
        reversed, {c10d::kDefaultFirstBucketBytes, c10d::kDefaultBucketBytesCap},
        std::vector<bool>(parameters.size(), false)));
    for (auto& bucket : buckets) {
        for (auto& index : bucket) {
            index = parameters.size() - 1 - index;
        }
    }
    return buckets;
}

std::size_t bytes_of(const std::vector<at::Tensor>& tensors) {
    std::size_t bytes = 0;
    for (const auto& tensor : tensors) {
        bytes += tensor.nbytes();
    }
    return bytes;
}

}  // namespace

bool GradientReducer::goes_in_one_piece(const Device& device, const std::vector<at::Tensor>& parameters) {
    constexpr std::size_t most = std::size_t{4} << 20;  // bytes, which take about 0.1 ms between GPUs of a node
    const auto fits = [&](const at::Tensor& each) {
        return each.is_non_overlapping_and_dense() && each.options().type_equal(parameters.front().options());
    };
    return device.records() && bytes_of(parameters) <= most && std::ranges::all_of(parameters, fits);
}

GradientReducer::GradientReducer(const Group& group, const std::vector<at::Tensor>& parameters) : group_(group) {
    if (group.size() == 1) {
        return;
    }
    if (!goes_in_one_piece(group.device(), parameters)) {
        reducer_ = std::make_unique<FixedReducer>(parameters, bucket_layout(parameters), group.process_group());
        return;
    }
    parameters_ = parameters;
    std::int64_t count = 0;
    for (const auto& parameter : parameters) {
        count += parameter.numel();
    }
    piece_ = at::empty({count}, parameters.front().options().requires_grad(false));
    std::int64_t begin = 0;
    for (const auto& parameter : parameters) {
        places_.push_back(piece_.as_strided(parameter.sizes(), parameter.strides(), begin));
        begin += parameter.numel();
    }
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::average_next_backward() {
    if (!reducer_) {
        return;
    }
    reducer_->prepare_for_forward();
    reducer_->prepare_for_backward({});
}

void GradientReducer::finish() {
    if (parameters_.empty()) {
        return;
    }
    RECORD_USER_SCOPE("crescendo::reduction");
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : parameters_) {  // expect_gradients() reports missing gradients by name
        gradients.push_back(parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter));
    }
    at::_foreach_copy_(places_, gradients);
    piece_.div_(group_.size());
    group_.sum(piece_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (parameters_[i].grad().defined()) {
            parameters_[i].mutable_grad() = places_[i];
        }
    }
}

}  // namespace crescendo::trainer
