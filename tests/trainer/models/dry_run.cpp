#include "trainer/models/dry_run.hpp"

#include <ATen/ATen.h>

#include "core/check.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

/// Counts its calls in one mode, either in a buffer or in a hidden tensor.
class Counting : public Model {
  public:
    Counting(bool in_training, bool in_buffer) : in_training_(in_training), in_buffer_(in_buffer) {}

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
        if (is_training() == in_training_) {
            (in_buffer_ ? calls_ : hidden_).add_(1);
        }
        return inputs + calls_ + hidden_;
    }

  private:
    bool in_training_;
    bool in_buffer_;
    at::Tensor calls_ = register_buffer("calls", at::zeros({}));
    at::Tensor hidden_ = at::zeros({});
};

}  // namespace

TEST_CASE("the number of samples in a dry run differs from the number of outputs") {
    Task task{.input_shape = {4, 3}, .target_shape = {}, .num_outputs = 10};

    CHECK(dry_inputs(task).sizes() == at::IntArrayRef{2, 4, 3});
    CHECK(dry_inputs(task).equal(dry_inputs(task)));
    CHECK(dry_samples(task) == "two samples");
    task.num_outputs = 2;
    CHECK(dry_inputs(task).sizes() == at::IntArrayRef{3, 4, 3});
    CHECK(dry_samples(task) == "three samples");
}

TEST_CASE("a network that changes its inputs in place is refused for that, not for hidden state") {
    struct InPlace : Model {
        at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
            at::Tensor same = inputs;
            return same.add_(1);
        }
    };
    InPlace model;

    CHECK_THROWS_WITH_AS(expect_stateless(model, at::ones({2, 3}), "it"),
                         doctest::Contains("it changes its inputs in place"), crescendo::InvalidInput);
}

TEST_CASE("state that a network keeps outside its buffers is found, in training and in evaluation") {
    const at::Tensor inputs = at::ones({2, 3});
    for (const bool in_training : {true, false}) {
        CAPTURE(in_training);
        Counting carried(in_training, /*in_buffer=*/true);
        Counting hidden(in_training, /*in_buffer=*/false);

        CHECK_NOTHROW(expect_stateless(carried, inputs, "it"));
        CHECK_THROWS_WITH_AS(expect_stateless(hidden, inputs, "it"),
                             doctest::Contains("it gives different outputs the second time"), crescendo::InvalidInput);
    }
}
