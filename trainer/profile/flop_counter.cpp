#include "trainer/profile/flop_counter.hpp"

#include <ATen/ATen.h>

#include <atomic>
#include <map>
#include <string_view>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

using Values = c10::ArrayRef<const c10::IValue>;

std::atomic<double> counted{0.0};
std::atomic<bool> in_use{false};

double numel(const c10::IValue& tensor) { return static_cast<double>(tensor.toTensor().numel()); }

double size(const c10::IValue& tensor, std::int64_t axis) { return static_cast<double>(tensor.toTensor().size(axis)); }

/// Operations of a matrix product (..., n, k) by (..., k, m).
double product(const c10::IValue& a, const c10::IValue& b) { return 2 * numel(a) * size(b, -1); }

/// Number of positions of a kernel in one channel of an image. Spatial axes begin at 2.
double positions(Values in) {
    const auto input = in[0].toTensor().sizes(), kernel = in[1].toTensor().sizes();
    const auto stride = in[3].toIntVector(), padding = in[4].toIntVector(), dilation = in[5].toIntVector();
    const auto of_axis = [](const auto& values, std::size_t i) { return values[values.size() == 1 ? 0 : i]; };
    double all = 1;
    for (std::size_t i = 0; i + 2 < input.size(); ++i) {
        const auto reach = of_axis(dilation, i) * (kernel[i + 2] - 1) + 1;
        all *= static_cast<double>((input[i + 2] + 2 * of_axis(padding, i) - reach) / of_axis(stride, i) + 1);
    }
    return all;
}

/// Operations of a convolution. `numbers` is the number of elements, over all samples, on the side (input or output)
/// whose positions the kernel visits; each is combined with every channel of the other side.
double convolution(double numbers, const c10::IValue& weight) { return 2 * numbers * numel(weight) / size(weight, 0); }

/// Operations of a recurrent layer over series (..., features), with weights for its inputs and for its outputs of the
/// previous step.
double recurrent(Values in) { return 2 * numel(in[0]) / size(in[0], -1) * (numel(in[1]) + numel(in[2])); }

/// Operations of all layers of cuDNN, whose weights are a list: for inputs, for outputs, and biases.
double recurrent_of_cudnn(Values in) {
    double weights = 0;
    for (const at::Tensor& each : in[1].toTensorVector()) {
        weights += each.dim() > 1 ? static_cast<double>(each.numel()) : 0;
    }
    return 2 * numel(in[0]) / size(in[0], -1) * weights;
}

/// Operations of attention for queries (..., n, width), keys (..., m, width) and values (..., m, channels): scores, and
/// means of values.
double attention(Values in) {
    const double scores = numel(in[0]) / size(in[0], -1) * size(in[1], -2);
    return 2 * scores * (size(in[0], -1) + size(in[2], -1));
}

/// After the gradient of the means, the arguments are the same three. It computes the scores again, and the gradients
/// of the queries, the keys, the scores and the values.
double attention_backward(Values in) { return 2.5 * attention(in.slice(1)); }

using Rule = double (*)(Values in);

// Backward of a matrix product needs no entry: it consists of two matrix products with the same names.
const std::map<std::string_view, Rule> rules{
    {"aten::mm", [](Values in) { return product(in[0], in[1]); }},
    {"aten::bmm", [](Values in) { return product(in[0], in[1]); }},
    {"aten::addmm", [](Values in) { return product(in[1], in[2]); }},
    {"aten::baddbmm", [](Values in) { return product(in[1], in[2]); }},
    {"aten::convolution",
     [](Values in) {
         const bool transposed = in[6].toBool();
         return convolution(transposed ? numel(in[0]) : size(in[0], 0) * size(in[1], 0) * positions(in), in[1]);
     }},
    {"aten::convolution_backward",
     [](Values in) {
         const bool transposed = in[7].toBool();
         const auto wanted = in[10].toBoolList();  // gradients of input, weight and bias
         return (wanted[0] + wanted[1]) * convolution(numel(in[transposed ? 1 : 0]), in[2]);
     }},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", attention},
    {"aten::_scaled_dot_product_flash_attention", attention},
    {"aten::_scaled_dot_product_efficient_attention", attention},
    {"aten::_scaled_dot_product_cudnn_attention", attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", attention_backward},
    {"aten::_scaled_dot_product_flash_attention_backward", attention_backward},
    {"aten::_scaled_dot_product_efficient_attention_backward", attention_backward},
    {"aten::_scaled_dot_product_cudnn_attention_backward", attention_backward},
    {"aten::mkldnn_rnn_layer", recurrent},
    {"aten::mkldnn_rnn_layer_backward", [](Values in) { return 2 * recurrent(in); }},
    {"aten::_cudnn_rnn", recurrent_of_cudnn},
    {"aten::_cudnn_rnn_backward", [](Values in) { return 2 * recurrent_of_cudnn(in); }},
};

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
    const auto rule = rules.find(function.name());
    if (rule != rules.end()) {
        counted += rule->second(function.inputs());
    }
    return nullptr;
}

}  // namespace

FlopCounter::FlopCounter() {
    CRESCENDO_EXPECT(!in_use.exchange(true));
    counted = 0.0;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(count).scopes({at::RecordScope::FUNCTION}).needsInputs(true));
}

FlopCounter::~FlopCounter() {
    at::removeCallback(handle_);
    in_use = false;
}

double FlopCounter::flop() const { return counted; }

}  // namespace crescendo::trainer
