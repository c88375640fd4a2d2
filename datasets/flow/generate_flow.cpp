#include "datasets/flow/generate_flow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/check.hpp"
#include "core/random.hpp"
#include "datasets/flow/flow.hpp"
#include "datasets/writers/computed_set.hpp"

namespace crescendo::datasets {
namespace {

constexpr double time_until_inputs = 1;
constexpr double time_until_targets = 1;

void check(const FlowOptions& options) {
    const auto size = options.size;
    CRESCENDO_VALIDATE(size >= 16 && size <= 4096 && std::has_single_bit(static_cast<std::uint64_t>(size)), "--size",
                       "--size {}: the solver's Fourier transforms need a power of two from 16 to 4096", size);
    if (options.viscosity) {
        const auto least = least_viscosity(size);
        CRESCENDO_VALIDATE(std::isfinite(*options.viscosity) && *options.viscosity >= least, "--viscosity",
                           "--viscosity {}: the smallest eddies would be too small for {} x {} points; use at least "
                           "{}, or a larger --size",
                           *options.viscosity, size, size, least);
    }
}

/// A thread's solver, which makes samples.
class Maker {
  public:
    Maker(const FlowOptions& options, const std::function<void()>& poll)
        : options_(options),
          poll_(poll),
          flow_(static_cast<std::size_t>(options.size), options.viscosity.value_or(least_viscosity(options.size))) {}

    void make(std::int64_t sample, float* inputs, float* targets) {
        const auto stream = 2 * static_cast<std::uint64_t>(sample);
        const double peak = 2 + 4 * CounterRandom(options_.seed, stream + 1).uniform();
        flow_.set_random(peak, options_.seed, stream);
        flow_.advance(time_until_inputs, poll_);
        append_fields(inputs);
        const double energy = flow_.energy();
        if (options_.target != FlowOptions::Target::none) {
            flow_.advance(time_until_targets, poll_);
        }
        if (options_.target == FlowOptions::Target::decay) {
            *targets = static_cast<float>(flow_.energy() / energy);
        } else if (options_.target == FlowOptions::Target::future) {
            append_fields(targets);
        }
    }

  private:
    void append_fields(float* out) {
        const auto fields = flow_.fields();
        for (const auto* field : {&fields.u, &fields.v, &fields.vorticity}) {
            out = std::transform(field->begin(), field->end(), out,
                                 [](double value) { return static_cast<float>(value); });
        }
    }

    const FlowOptions& options_;
    const std::function<void()>& poll_;
    Flow flow_;
};

/// One maker per thread, because each holds several fields.
class Makers {
  public:
    Makers(const FlowOptions& options, const std::function<void()>& poll) : options_(options), poll_(poll) {}

    void make(std::int64_t sample, float* inputs, float* targets) {
        auto maker = take();
        maker->make(sample, inputs, targets);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(maker));
    }

  private:
    std::unique_ptr<Maker> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) {
            return std::make_unique<Maker>(options_, poll_);
        }
        auto maker = std::move(idle_.back());
        idle_.pop_back();
        return maker;
    }

    const FlowOptions& options_;
    const std::function<void()>& poll_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Maker>> idle_;
};

}  // namespace

double least_viscosity(std::int64_t size) {
    const auto largest = static_cast<double>(Flow::largest_wave_number(static_cast<std::size_t>(size)));
    return 8 / (largest * largest);
}

void generate_flow(const std::string& location, const FlowOptions& options, const WriteOptions& write_options) {
    check(options);
    using Target = FlowOptions::Target;
    ComputedSet set{.num_samples = options.num_samples, .input_shape = {3, options.size, options.size}};
    if (options.target != Target::none) {
        set.target_shape = options.target == Target::future ? set.input_shape : std::vector<std::int64_t>{};
    }
    Makers makers(options, write_options.poll);
    set.compute = [&](std::int64_t i, float* inputs, float* targets) { makers.make(i, inputs, targets); };
    write_computed_set(location, set, options.num_threads, write_options);
}

}  // namespace crescendo::datasets
