#include "datasets/flow/generate_flow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/check.hpp"
#include "core/random.hpp"
#include "datasets/flow/flow.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/system/task_pool.hpp"
#include "datasets/writers/new_group.hpp"
#include "datasets/writers/sample_writer.hpp"

namespace crescendo::datasets {
namespace {

constexpr double time_until_inputs = 1;
constexpr double time_until_targets = 1;

void check(const FlowOptions& options) {
    CRESCENDO_VALIDATE(options.num_samples >= 1, "", "{} samples; use at least 1", options.num_samples);
    const auto size = options.size;
    CRESCENDO_VALIDATE(size >= 16 && size <= 4096 && std::has_single_bit(static_cast<std::uint64_t>(size)), "--size",
                       "--size {}: the solver's Fourier transforms take a power of two from 16 to 4096", size);
    const auto most = (std::int64_t{1} << 50) / (3 * size * size * static_cast<std::int64_t>(sizeof(float)));
    CRESCENDO_VALIDATE(options.num_samples <= most, "--samples",
                       "--samples {}: would take more than 2^50 bytes; use at most {}, or --sparse to try scale",
                       options.num_samples, most);
    if (options.viscosity) {
        const auto least = least_viscosity(size);
        CRESCENDO_VALIDATE(std::isfinite(*options.viscosity) && *options.viscosity >= least, "--viscosity",
                           "--viscosity {}: the smallest eddies would be smaller than {} x {} points resolve; use at "
                           "least {}, or a larger --size",
                           *options.viscosity, size, size, least);
    }
}

/// A thread's own solver, and the samples that it makes.
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

/// One maker for each thread, because each holds several fields.
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
    const auto total = options.num_samples;
    const std::vector<std::int64_t> fields{total, 3, options.size, options.size};
    const auto input_elements = static_cast<std::size_t>(3 * options.size * options.size);
    const bool future = options.target == FlowOptions::Target::future;
    const auto target_elements = future ? input_elements : 1;
    const auto chunk = chunk_samples_for(write_options, total, input_elements * sizeof(float));

    NewGroup group(Location::parse(location));
    {
        SampleWriter input_writer(group.id(), "inputs", ElementType::f32, fields, chunk, write_options.compression);
        std::optional<SampleWriter> target_writer;
        if (options.target != FlowOptions::Target::none) {
            target_writer.emplace(group.id(), "targets", ElementType::f32, future ? fields : std::vector{total}, chunk,
                                  write_options.compression);
        }
        Makers makers(options, write_options.poll);
        TaskPool pool(options.num_threads);
        // So many at a time that no thread waits long for the others.
        const auto block = (4 * options.num_threads + chunk - 1) / chunk * chunk;
        std::vector<float> inputs(static_cast<std::size_t>(block) * input_elements);
        std::vector<float> targets(static_cast<std::size_t>(block) * target_elements);
        for (std::int64_t done = 0; done < total;) {
            const auto count = static_cast<std::size_t>(std::min(block, total - done));
            pool.run(count, [&](std::size_t i) {
                makers.make(done + static_cast<std::int64_t>(i), &inputs[i * input_elements],
                            &targets[i * target_elements]);
            });
            input_writer.write(std::as_bytes(std::span(inputs).first(count * input_elements)), write_options.poll);
            if (target_writer) {
                target_writer->write(std::as_bytes(std::span(targets).first(count * target_elements)),
                                     write_options.poll);
            }
            done += static_cast<std::int64_t>(count);
            if (write_options.progress) {
                write_options.progress(done, total);
            }
        }
        input_writer.close();
        if (target_writer) {
            target_writer->close();
        }
    }
    group.publish();
}

}  // namespace crescendo::datasets
