#include "trainer/training/latency.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/models/model.hpp"

namespace crescendo::trainer {

namespace {

/// Samples in their stored form, read into memory one block at a time.
class StoredSamples {
  public:
    explicit StoredSamples(const datasets::SampleSet& set) : set_(set) {
        constexpr std::size_t most_bytes = std::size_t{64} << 20;
        const auto bytes = std::max<std::size_t>(1, set.inputs().sample_bytes() + set.targets().sample_bytes());
        block_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(most_bytes / bytes), 1, set.size());
        for (const auto* fields : {&set.inputs(), &set.targets()}) {
            for (const auto& field : *fields) {
                fields_.push_back(&field);
                memory_.emplace_back(field.bytes_of(block_));
            }
        }
    }

    /// Reads the sample's block, unless it is already in memory.
    void fetch(std::int64_t sample) {
        if (sample >= begin_ && sample < end_) {
            return;
        }
        begin_ = sample / block_ * block_;
        end_ = std::min(begin_ + block_, set_.size());
        std::vector<std::span<std::byte>> spans;
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            spans.push_back(std::span(memory_[i]).first(fields_[i]->bytes_of(end_ - begin_)));
        }
        set_.read(begin_, end_ - begin_, spans);
        set_.expect_unchanged();
    }

    /// The description of a field. Indices count the inputs first, then the targets.
    const datasets::Field& field(std::size_t index) const { return *fields_[index]; }

    /// The bytes of a field of the fetched sample.
    std::span<const std::byte> bytes(std::int64_t sample, std::size_t index) const {
        const auto& field = *fields_[index];
        return std::span(memory_[index])
            .subspan(static_cast<std::size_t>(sample - begin_) * field.pitch_bytes(), field.sample_bytes());
    }

  private:
    const datasets::SampleSet& set_;
    std::int64_t block_;
    std::vector<const datasets::Field*> fields_;
    std::vector<std::vector<std::byte>> memory_;  ///< the block's bytes, per field
    std::int64_t begin_ = 0;                      ///< samples [begin_, end_) are in memory
    std::int64_t end_ = 0;
};

/// Bytes of a sample after conversion.
std::size_t bytes_of(std::span<const datasets::Conversion> fields) {
    std::size_t bytes = 0;
    for (const auto& field : fields) {
        bytes += field.sample_bytes();
    }
    return bytes;
}

}  // namespace

Answers answer_one_at_a_time(Trial& trial, const datasets::SampleSet& samples,
                             const std::vector<datasets::Conversion>& conversions, datasets::NonFinite non_finite,
                             std::int64_t num_warm_ups, Pulse& pulse) {
    const at::NoGradGuard no_gradients;
    const EvaluationMode mode(trial);
    const Task& task = trial.task();
    const Device& device = trial.device();
    const bool classes = task.kind == Task::Kind::classification;
    const std::size_t num_inputs = samples.inputs().size();
    const auto inputs_of = std::span(conversions).first(num_inputs);
    const auto targets_of = std::span(conversions).subspan(num_inputs);
    StoredSamples stored(samples);
    // Converts fields of a sample; the first of them has the index `index`. Returns whether all numbers are finite.
    const auto convert = [&](std::int64_t sample, std::span<const datasets::Conversion> fields, std::size_t index,
                             std::byte* out) {
        bool all_finite = true;
        for (const auto& conversion : fields) {
            const bool finite = conversion.convert(stored.bytes(sample, index), out);
            if (!finite && non_finite == datasets::NonFinite::error) {
                datasets::complain_of_number(samples, sample, stored.field(index));
            }
            all_finite = all_finite && finite;
            out += conversion.sample_bytes();
            ++index;
        }
        return all_finite;
    };

    Answers answers;
    SumsOnDevice sums(trial);
    for (std::int64_t i = -num_warm_ups; i < samples.size(); ++i) {
        pulse.beat();
        const std::int64_t sample = i < 0 ? (i + num_warm_ups) % samples.size() : i;
        stored.fetch(sample);

        const auto began = std::chrono::steady_clock::now();
        datasets::Slice slice{.samples = {sample},
                              .inputs = datasets::Bytes(bytes_of(inputs_of), &device.staging_memory()),
                              .targets = datasets::Bytes(bytes_of(targets_of), &device.staging_memory())};
        bool finite = convert(sample, inputs_of, 0, slice.inputs.data());
        const at::Tensor inputs = make_inputs(slice, task, device);
        const at::Tensor outputs = trial.forward(inputs);
        const at::Tensor answer = (classes ? outputs.argmax(1) : outputs).cpu();
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;

        finite = convert(sample, targets_of, num_inputs, slice.targets.data()) && finite;
        if (i < 0 || (!finite && non_finite == datasets::NonFinite::skip)) {
            continue;
        }
        const at::Tensor targets = make_targets(slice, inputs, task, device);
        answers.seconds.push_back(time.count());
        sums.add(outputs, targets, {sample});
    }
    answers.sums = sums.fetch(Group(device));
    return answers;
}

protocol::Latency summary_of(std::vector<double> seconds) {
    if (seconds.empty()) {
        throw std::runtime_error("no sample is left to answer, because all have numbers that are not finite");
    }
    std::sort(seconds.begin(), seconds.end());
    const auto percentile = [&](std::size_t percent) { return seconds[(percent * seconds.size() + 99) / 100 - 1]; };
    return {.samples = static_cast<std::int64_t>(seconds.size()),
            .mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size()),
            .p50 = percentile(50),
            .p99 = percentile(99)};
}

}  // namespace crescendo::trainer
