#include "datasets/melt_pool/generate_melt_pools.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "core/random.hpp"
#include "datasets/melt_pool/melt_pool.hpp"
#include "datasets/writers/computed_set.hpp"

namespace crescendo::datasets {
namespace {

constexpr double width = 1e-3;                 // m
constexpr double time_between_frames = 50e-6;  // s

void check(const MeltPoolOptions& options) {
    CRESCENDO_VALIDATE(options.size >= 8 && options.size <= 1024, "--size",
                       "--size {}: images have 8 to 1024 points along an axis", options.size);
    CRESCENDO_VALIDATE(options.frames >= 1 && options.frames <= 64, "--frames",
                       "--frames {}: videos have 1 to 64 images", options.frames);
}

double between(CounterRandom& random, double min, double max) { return min + random.uniform() * (max - min); }

Laser random_laser(CounterRandom random) {
    Laser laser;
    laser.power = between(random, 100, 400);
    laser.speed = between(random, 0.4, 2);
    laser.radius *= between(random, 0.9, 1.1);
    laser.absorptivity *= between(random, 0.9, 1.1);
    return laser;
}

/// Planck's law, in Wien's form, relative to the boiling point.
double brightness(double kelvin) {
    constexpr double c2_over_wavelength = 1.4388e-2 / 850e-9;  // K
    return std::min(1.0, std::exp(c2_over_wavelength * (1 / Steel::boiling - 1 / kelvin)));
}

/// A normally distributed number, by the method of Box and Muller.
double normal(CounterRandom& random) {
    const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

/// What the camera shows, with its noise: photon noise grows with the square root of the light, and the electronics add
/// a little.
float exposure(double light, CounterRandom& random) {
    const double deviation = std::hypot(0.02 * std::sqrt(light), 0.005);
    return static_cast<float>(std::clamp(light + deviation * normal(random), 0.0, 1.0));
}

}  // namespace

void generate_melt_pools(const std::string& location, const MeltPoolOptions& options,
                         const WriteOptions& write_options) {
    check(options);
    ComputedSet set{.num_samples = options.num_samples,
                    .input_shape = {options.frames, options.size, options.size},
                    .target_shape = std::vector<std::int64_t>{2}};
    set.compute = [&](std::int64_t i, float* inputs, float* targets) {
        const auto stream = 2 * static_cast<std::uint64_t>(i);
        const auto laser = random_laser(CounterRandom(options.seed, stream));
        targets[0] = static_cast<float>(laser.power / 100);
        targets[1] = static_cast<float>(laser.speed);
        MeltPool pool(laser, static_cast<std::size_t>(options.size), width);
        CounterRandom noise(options.seed, stream + 1);
        for (std::int64_t frame = 1; frame <= options.frames; ++frame) {
            write_options.poll();
            pool.advance_to(static_cast<double>(frame) * time_between_frames);
            for (const double kelvin : pool.temperature()) {
                *inputs++ = exposure(brightness(kelvin), noise);
            }
        }
    };
    write_computed_set(location, set, options.num_threads, write_options);
}

}  // namespace crescendo::datasets
