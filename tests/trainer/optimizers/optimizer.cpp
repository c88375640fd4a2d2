#include "trainer/optimizers/optimizer.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <map>

using namespace crescendo::trainer;

namespace {

/// Keeps a sum for each parameter.
class Summing : public Optimizer {
  public:
    explicit Summing(const at::Tensor& weight) : Optimizer({{"weight", weight}}), weight_(weight) {}

  private:
    void update(double learning_rate) override {
        auto& sum = sums_.try_emplace(weight_.unsafeGetTensorImpl(), at::zeros_like(weight_)).first->second;
        sum += 1;
        weight_ -= learning_rate * sum;
    }
    std::vector<NamedTensor> state_of(const at::Tensor& parameter) const override {
        return {{"sum", sums_.at(parameter.unsafeGetTensorImpl())}};
    }
    void make_state(const at::Tensor& parameter, std::int64_t) override {
        sums_[parameter.unsafeGetTensorImpl()] = at::zeros_like(parameter);
    }
    void forget_state() override { sums_.clear(); }

    at::Tensor weight_;
    std::map<void*, at::Tensor> sums_;
};

}  // namespace

TEST_CASE("an optimizer that is not torch's names its state, counts its updates and forgets both at a reset") {
    Summing optimizer(at::zeros({2}));
    CHECK(optimizer.state().empty());

    optimizer.step(0.1);
    optimizer.step(0.1);

    CHECK(optimizer.num_steps() == 2);
    REQUIRE(optimizer.state().size() == 1);
    CHECK(optimizer.state()[0].parameter == "weight");
    CHECK(optimizer.state()[0].name == "sum");
    CHECK(optimizer.state()[0].tensor.eq(2).all().item<bool>());
    optimizer.reset();
    CHECK(optimizer.num_steps() == 0);
    CHECK(optimizer.state().empty());
    optimizer.reset(/*num_steps=*/5);
    CHECK(optimizer.num_steps() == 5);
    CHECK(optimizer.state()[0].tensor.eq(0).all().item<bool>());
}
