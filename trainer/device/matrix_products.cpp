#include "trainer/device/matrix_products.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>

#include <optional>
#include <string_view>

#include "trainer/device/replaced_kernels.hpp"

namespace crescendo::trainer {

namespace {

/// Number of operations above which oneDNN saves more than the about 10 us that it needs to prepare a product.
constexpr std::int64_t fewest_operations = std::int64_t{1} << 22;

/// x times the transpose of `weight`, plus an optional bias per column. Torch's compiler calls oneDNN through this
/// function. It is the only way to reach oneDNN without tensors of another layout.
using Linear = at::Tensor(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                          std::string_view activation, c10::List<std::optional<at::Scalar>> of_activation,
                          std::optional<std::string_view> algorithm);

std::optional<c10::OperatorHandle> find_linear() {
    return c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
}

/// The matrix itself if it or its transpose is contiguous, else a contiguous copy. For a sliced or expanded matrix,
/// oneDNN would use its reference kernel, which takes a thousand times as long. The left factor may have any layout.
at::Tensor dense(const at::Tensor& b) { return b.is_contiguous() || b.t().is_contiguous() ? b : b.contiguous(); }

at::Tensor product(const at::Tensor& a, const at::Tensor& b, const std::optional<at::Tensor>& bias) {
    static const auto linear = find_linear()->typed<Linear>();
    return linear.call(a, dense(b).t(), bias, "none", c10::List<std::optional<at::Scalar>>(), "");
}

bool is_large(const at::Tensor& a, const at::Tensor& b) {
    const auto is_matrix = [](const at::Tensor& x) { return x.dim() == 2 && x.scalar_type() == at::kFloat; };
    return is_matrix(a) && is_matrix(b) && a.size(1) == b.size(0) && 2 * a.numel() * b.size(1) >= fewest_operations;
}

at::Tensor mm(const at::Tensor& a, const at::Tensor& b) {
    return is_large(a, b) ? product(a, b, {}) : at::cpu::mm(a, b);
}

at::Tensor addmm(const at::Tensor& added, const at::Tensor& a, const at::Tensor& b, const at::Scalar& beta,
                 const at::Scalar& alpha) {
    const bool is_bias = added.dim() == 1 && added.scalar_type() == at::kFloat && added.numel() == b.size(-1) &&
                         added.is_contiguous() && beta.equal(1) && alpha.equal(1);
    return is_bias && is_large(a, b) ? product(a, b, added) : at::cpu::addmm(added, a, b, beta, alpha);
}

bool is_for_onednn() {
#if defined(__x86_64__)
    return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") && at::hasMKL() && find_linear();
#else
    return false;
#endif
}

}  // namespace

MatrixProducts::MatrixProducts() {
    if (is_for_onednn()) {
        kernels_ = replace_kernels(c10::DispatchKey::CPU, [](torch::Library& kernels) {
            kernels.impl("mm", mm);
            kernels.impl("addmm", addmm);
        });
    }
}

}  // namespace crescendo::trainer
