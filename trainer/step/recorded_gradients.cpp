#include "trainer/step/recorded_gradients.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace crescendo::trainer {

namespace {

/// Steps before a recording. In the first steps, kernels are chosen, libraries allocate memory, and layers make tensors
/// that they reuse.
constexpr int num_before_recording = 3;

std::vector<std::vector<std::int64_t>> shapes_of(const StepSamples& samples) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const auto* tensor : {&samples.batch.inputs, &samples.batch.targets, &samples.keys}) {
        shapes.push_back(tensor->defined() ? tensor->sizes().vec() : std::vector<std::int64_t>{-1});
    }
    return shapes;
}

at::Tensor copy_of(const at::Tensor& tensor) { return tensor.defined() ? tensor.clone() : tensor; }

void overwrite(const at::Tensor& there, const at::Tensor& tensor) {
    if (there.defined()) {
        there.copy_(tensor);
    }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void forget_gradients(const std::vector<at::Tensor>& parameters) {
    // Not Optimizer::zero_grad, which rejects gradients that are views of the reducer's buckets.
    for (const auto& parameter : parameters) {
        parameter.mutable_grad().reset();
    }
}

StepSums RecordedGradients::operator()(const Device& device, const StepSamples& samples, Likeness likeness,
                                       const std::vector<at::Tensor>& parameters, const Compute& compute) {
    if (stopped_) {
        return compute(samples);
    }
    Kind& kind = kind_of(samples, std::move(likeness));
    if (kind.refused) {
        return compute(samples);
    }
    if (!kind.recording) {
        ++kind.steps;
        if (kind.steps <= num_before_recording || !record(kind, device, samples, parameters, compute)) {
            return compute(samples);
        }
    }
    overwrite(kind.samples.batch.inputs, samples.batch.inputs);
    overwrite(kind.samples.batch.targets, samples.batch.targets);
    overwrite(kind.samples.keys, samples.keys);
    kind.recording->replay();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i].mutable_grad() = kind.gradients[i];
    }
    return kind.sums;
}

RecordedGradients::Kind& RecordedGradients::kind_of(const StepSamples& samples, Likeness likeness) {
    auto shapes = shapes_of(samples);
    const auto found = std::ranges::find_if(
        kinds_, [&](const Kind& kind) { return kind.shapes == shapes && kind.likeness == likeness; });
    if (found != kinds_.end()) {
        kinds_.splice(kinds_.begin(), kinds_, found);
        return kinds_.front();
    }
    if (kinds_.size() == most_kept) {
        kinds_.pop_back();
    }
    kinds_.push_front({.shapes = std::move(shapes), .likeness = std::move(likeness)});
    return kinds_.front();
}

/// Returns false if no recording was made. Then the device and the parameters are unchanged.
bool RecordedGradients::record(Kind& kind, const Device& device, const StepSamples& samples,
                               const std::vector<at::Tensor>& parameters, const Compute& compute) {
    kind.samples = {.batch = {copy_of(samples.batch.inputs), copy_of(samples.batch.targets)},
                    .keys = copy_of(samples.keys),
                    .keys_in_host_memory = {}};
    bool failed = false;
    std::string reason = "its memory would not leave enough for other steps";
    try {
        kind.recording = device.record([&kind, parameters, compute] {
            forget_gradients(parameters);
            kind.sums = compute(kind.samples);
            kind.gradients.clear();
            for (const auto& parameter : parameters) {
                kind.gradients.push_back(parameter.grad());
            }
        });
    } catch (const std::exception& error) {
        failed = true;
        reason = first_line(error.what());
    }
    forget_gradients(parameters);
    if (kind.recording) {
        return true;
    }
    tell(reason);
    if (failed) {
        stop();
    } else {
        kind.refused = true;
        kind.samples = {};
    }
    return false;
}

bool RecordedGradients::recorded() const {
    return std::ranges::any_of(kinds_, [](const Kind& kind) { return kind.recording != nullptr; });
}

void RecordedGradients::forget() { kinds_.clear(); }

void RecordedGradients::stop() {
    stopped_ = true;
    forget();
}

void RecordedGradients::give_up(const std::string& reason) {
    tell(reason);
    stop();
}

void RecordedGradients::tell(const std::string& reason) {
    if (!stopped_ && told_ != reason) {
        std::printf("a step is not recorded as a CUDA graph: %s\n", reason.c_str());
        std::fflush(stdout);
    }
    told_ = reason;
}

}  // namespace crescendo::trainer
