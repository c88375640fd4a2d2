#include "trainer/device/matrix_products.hpp"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

/// The outputs and gradients of a layer.
std::vector<at::Tensor> outcome(torch::nn::Linear& layer, const at::Tensor& inputs) {
    layer->zero_grad();
    const at::Tensor x = inputs.detach().requires_grad_();
    const at::Tensor y = layer(x);
    y.square().sum().backward();
    return {y.detach(), x.grad(), layer->weight.grad(), layer->bias.grad()};
}

bool close(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!at::allclose(a[i], b[i], /*rtol=*/1e-4, /*atol=*/1e-3 * b[i].abs().max().item<double>())) {
            return false;
        }
    }
    return true;
}

bool same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return at::equal(x, y); });
}

/// Records, for as long as it lives, whether the right factors of oneDNN's products are dense, transposed or not.
class RightFactors {
  public:
    RightFactors() {
        seen().clear();
        handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(note).needsInputs(true));
    }
    RightFactors(const RightFactors&) = delete;
    RightFactors& operator=(const RightFactors&) = delete;
    ~RightFactors() { at::removeCallback(handle_); }

    static std::vector<bool>& seen() {
        static std::vector<bool> are_dense;
        return are_dense;
    }

  private:
    static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
        if (std::string_view(function.name()) == "mkldnn::_linear_pointwise") {
            const at::Tensor& weight = function.inputs()[1].toTensor();
            seen().push_back(weight.is_contiguous() || weight.t().is_contiguous());
        }
        return nullptr;
    }

    at::CallbackHandle handle_ = 0;
};

}  // namespace

TEST_CASE("layers match torch's products up to rounding, and match them bit for bit afterwards") {
    at::manual_seed(1);
    torch::nn::Linear layer(/*in_features=*/300, /*out_features=*/130);
    const at::Tensor inputs = at::randn({128, 300}), series = at::randn({8, 16, 300});
    const auto before = outcome(layer, inputs), before_of_series = outcome(layer, series);

    {
        const MatrixProducts products;
        if (!products.replaced()) {
            MESSAGE("this processor keeps torch's own products");
        }
        const auto once = outcome(layer, inputs);

        CHECK(close(once, before));
        CHECK(same(once, outcome(layer, inputs)));
        CHECK(close(outcome(layer, series), before_of_series));
        CHECK(same(once, before) != products.replaced());
    }

    CHECK(same(outcome(layer, inputs), before));
}

TEST_CASE("other types, small products and other forms of sums match torch bit for bit") {
    at::manual_seed(1);
    const at::Tensor a = at::randn({200, 300}), b = at::randn({300, 200}), whole = at::randn({200, 200});
    const auto all = [&] {
        return std::vector<at::Tensor>{
            at::mm(a.to(at::kDouble), b.to(at::kDouble)), at::mm(a.to(at::kBFloat16), b.to(at::kBFloat16)),
            at::mm(a.narrow(0, 0, 8), b.narrow(1, 0, 8)), at::addmm(whole, a, b),
            at::addmm(whole[0], a, b, /*beta=*/0.5),      at::addmm(whole[0], a, b, /*beta=*/1, /*alpha=*/2)};
    };
    const auto before = all();

    const MatrixProducts products;

    CHECK(same(all(), before));
    CHECK_THROWS(at::mm(a, a));
    CHECK(at::mm(at::zeros({1000, 0}), at::zeros({0, 5000})).equal(at::zeros({1000, 5000})));
}

TEST_CASE("products accept matrices of any memory layout") {
    at::manual_seed(1);
    const at::Tensor a = at::randn({200, 300}), b = at::randn({300, 200});
    const at::Tensor expected = at::mm(a, b);

    const MatrixProducts products;

    CHECK(at::allclose(at::mm(a.t().contiguous().t(), b), expected, 1e-4, 1e-3));
    CHECK(at::allclose(at::mm(a, b.t().contiguous().t()), expected, 1e-4, 1e-3));
    CHECK(at::allclose(at::mm(at::cat({a, a}, 1).narrow(1, 300, 300), b), expected, 1e-4, 1e-3));
    CHECK(at::allclose(at::mm(at::stack({a, a}, 2).select(2, 1), b), expected, 1e-4, 1e-3));
}

TEST_CASE("oneDNN never multiplies by a slice or an expanded tensor, which would be a thousand times slower") {
    at::manual_seed(1);
    const at::Tensor a = at::randn({200, 300}), wide = at::randn({300, 400}), bias = at::randn({200});
    const at::Tensor slice = wide.narrow(1, 100, 200);
    const std::vector<at::Tensor> factors{slice, wide.slice(1, 0, 400, 2), at::randn({200, 400}).narrow(1, 0, 300).t(),
                                          at::randn({300, 1}).expand({300, 200}), at::ones({}).expand({300, 200})};
    std::vector<at::Tensor> expected;
    for (const auto& b : factors) {
        expected.push_back(at::mm(a, b));
    }
    const at::Tensor expected_sum = at::addmm(bias, a, slice);

    const MatrixProducts products;
    const RightFactors right;

    for (std::size_t i = 0; i < factors.size(); ++i) {
        CHECK(at::allclose(at::mm(a, factors[i]), expected[i], 1e-4, 1e-3));
    }
    CHECK(at::allclose(at::addmm(bias, a, slice), expected_sum, 1e-4, 1e-3));
    CHECK(std::ranges::all_of(right.seen(), [](bool dense) { return dense; }));
    CHECK(right.seen().size() == (products.replaced() ? factors.size() + 1 : 0));
}
