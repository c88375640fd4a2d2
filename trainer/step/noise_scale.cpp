#include "trainer/step/noise_scale.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "trainer/step/batch_plan.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

constexpr double decay = 0.99;  // averages over about 100 measurements
constexpr std::int64_t fewest_measurements = 8;
constexpr std::int64_t fewest_extra = 2;  // samples: batch normalization cannot train on a single one

std::int64_t num_parts(std::span<const std::int64_t> slices, std::int64_t micro_batch) {
    return num_micro_batches(slices, num_rounds(slices, micro_batch));
}

bool is_single(std::span<const std::int64_t> slices, std::int64_t micro_batch) {
    return slices.size() == 1 && num_parts(slices, micro_batch) == 1;
}

}  // namespace

bool is_measured(std::int64_t step, std::span<const std::int64_t> slices, std::int64_t micro_batch) {
    return step % (is_single(slices, micro_batch) ? single_measured_every : measured_every) == 0;
}

std::int64_t measurable_micro_batch(std::span<const std::int64_t> slices, std::int64_t micro_batch) {
    return is_single(slices, micro_batch) ? (slices.front() + 1) / 2 : micro_batch;
}

MeasurementPlan plan_measurement(std::span<const std::int64_t> slices, std::int64_t micro_batch) {
    const auto samples = std::accumulate(slices.begin(), slices.end(), std::int64_t{0});
    if (samples == 0) {
        return {};
    }
    MeasurementPlan plan{.whole = true};
    const std::int64_t parts = num_parts(slices, micro_batch);
    if (parts > 1) {
        plan.parts = {.count = parts, .samples = samples};
    } else if (is_single(slices, micro_batch) && samples > fewest_extra) {
        plan.parts = {.count = 1, .samples = std::max(fewest_extra, samples / 8), .extra = true};
    }
    return plan;
}

void NoiseScale::Average::add(double number) {
    sum = decay * sum + (1 - decay) * number;
    ++count;
}

double NoiseScale::Average::weight() const { return 1 - std::pow(decay, static_cast<double>(count)); }

double NoiseScale::Average::value() const { return count == 0 ? 0.0 : sum / weight(); }

void NoiseScale::add(const GradientNorms& norms) {
    if (!std::isfinite(norms.whole)) {
        return;
    }
    norm_.add(norms.whole);
    inverse_samples_.add(1 / norms.samples);
    if (norms.parts && std::isfinite(norms.parts->mean)) {
        noise_.add((norms.parts->mean - norms.whole) / (1 / norms.parts->samples - 1 / norms.samples));
    }
}

double NoiseScale::noise() const { return noise_.value(); }

double NoiseScale::gradient() const { return norm_.value() - noise() * inverse_samples_.value(); }

std::optional<double> NoiseScale::value() const {
    if (noise_.count < fewest_measurements || !(gradient() > 0)) {
        return std::nullopt;
    }
    return std::max(0.0, noise() / gradient());
}

void NoiseScale::set_noise(double noise) { noise_.sum = noise * noise_.weight(); }

void to_json(json& out, const NoiseScale& scale) {
    out = {{"noise", scale.noise_.sum},
           {"noises", scale.noise_.count},
           {"norm", scale.norm_.sum},
           {"inverse_samples", scale.inverse_samples_.sum},
           {"norms", scale.norm_.count}};
}

void from_json(const json& in, NoiseScale& scale) {
    scale.noise_ = {.sum = in.at("noise"), .count = in.at("noises")};
    scale.norm_ = {.sum = in.at("norm"), .count = in.at("norms")};
    scale.inverse_samples_ = {.sum = in.at("inverse_samples"), .count = in.at("norms")};
}

}  // namespace crescendo::trainer
