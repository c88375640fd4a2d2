#include "trainer/models/lone_value.hpp"

#include <ATen/ATen.h>

#include <stdexcept>
#include <vector>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

const char* const of_batch_norm = "Expected more than 1 value per channel when training, got input size [1, 4]";

/// Counts its calls in a buffer, and fails in training like a batch norm that follows other layers.
struct Network : torch::nn::Module {
    at::Tensor operator()() {
        calls.add_(1);
        if (norms_train) {
            throw std::runtime_error(message);
        }
        return calls.clone();
    }

    at::Tensor run(std::int64_t num_samples) {
        return run_with_lone_value(
            *this, num_samples, [this] { return (*this)(); },
            [this](bool on) {
                norms_train = !on;
                switched.push_back(on);
            });
    }

    at::Tensor calls = register_buffer("calls", at::zeros({}));
    std::string message = of_batch_norm;
    bool norms_train = true;
    std::vector<bool> switched;
};

}  // namespace

TEST_CASE("a single value is normalised by running statistics as if no call had failed before") {
    Network network;

    CHECK(network.run(/*num_samples=*/1).item<double>() == 1);

    CHECK(network.switched == std::vector<bool>{true, false});
    CHECK(network.norms_train);
}

TEST_CASE("other failures, and failures with several samples or in evaluation, are rethrown") {
    Network network;

    CHECK_THROWS_AS(network.run(/*num_samples=*/2), std::runtime_error);
    network.eval();
    CHECK_THROWS_AS(network.run(/*num_samples=*/1), std::runtime_error);
    network.train();
    network.message = "no such shape";
    CHECK_THROWS_WITH(network.run(/*num_samples=*/1), "no such shape");

    CHECK(network.switched.empty());
}
