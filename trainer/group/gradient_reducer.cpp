#include "trainer/group/gradient_reducer.hpp"

#include <algorithm>
#include <torch/csrc/distributed/c10d/reducer.hpp>

namespace crescendo::trainer {

namespace {

/// A Reducer that keeps the buckets it was given, and that does not collect the order of the gradients'
/// arrival for a new layout for ever.
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

/// Backward reaches the last parameters first.
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

}  // namespace

GradientReducer::GradientReducer(const Group& group, const std::vector<at::Tensor>& parameters) {
    if (group.size() == 1) {
        return;
    }
    reducer_ = std::make_unique<FixedReducer>(parameters, bucket_layout(parameters), group.process_group());
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::average_next_backward() {
    if (!reducer_) {
        return;
    }
    reducer_->prepare_for_forward();
    reducer_->prepare_for_backward({});
}

}  // namespace crescendo::trainer
