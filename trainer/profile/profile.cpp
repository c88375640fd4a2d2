#include "trainer/profile/profile.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "core/trial_protocol.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/data/batch_loader.hpp"
#include "trainer/profile/flop_counter.hpp"
#include "trainer/profile/part_times.hpp"
#include "trainer/step/precision.hpp"
#include "trainer/training/evaluation.hpp"

namespace crescendo::trainer {

namespace {

using Clock = std::chrono::steady_clock;
using protocol::Profile;
using protocol::Profiled;

constexpr int num_warm_ups = 3;  ///< the first steps allocate memory that the others reuse
constexpr int num_traced_steps = 5;
constexpr double fewest_steps = 5;
constexpr double most_steps = 2000;

double since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

/// Operations per second of a matrix product of a type, on all members at once. The matrices are so large that larger
/// ones would not be faster.
double matmul_speed(const Device& device, at::ScalarType type, double seconds) {
    const std::int64_t n = device.place().is_cpu() ? 1024 : 8192;
    const at::Tensor a = at::randn({n, n}).to(device.place(), type);
    at::Tensor product = at::mm(a, a);
    await(device);
    double best = 0.0;
    for (const auto began = Clock::now(); since(began) < std::min(seconds, 1.0) || best == 0.0;) {
        const auto start = Clock::now();
        product = at::mm(a, a);  // as layers do; another library may compute mm_out
        await(device);
        best = std::max(best, 2.0 * static_cast<double>(n * n * n) / since(start));
    }
    return best;
}

class Profiler {
  public:
    Profiler(const Profile& order, Trial& trial, const Group& group, DataCache& data, Pulse& pulse)
        : order_(order),
          trial_(trial),
          device_(group.device()),
          group_(group),
          reducer_(group, trial.learning_parameters()),
          batches_(data.training(trial.settings().data), trial.task(), device_, [&pulse] { pulse.beat(); }),
          pulse_(pulse) {
        enter();
    }

    Profiled measure() {
        run(num_warm_ups, loading());
        const double first = seconds_of(num_warm_ups, loading());
        steps_ = static_cast<int>(of_rank_0(std::clamp(order_.seconds / first, fewest_steps, most_steps)));
        const auto samples = trial_.group_batch();
        Profiled result{.trial = order_.trial,
                        .steps = steps_,
                        .group_batch = samples,
                        .epoch_steps = (trial_.task().num_samples + samples - 1) / samples};
        result.step = seconds_of(steps_, loading());
        const auto same = full_batch();
        const auto train_same = [&] { trial_.step(same, group_, reducer_); };
        result.without_data = seconds_of(steps_, train_same);
        trial_.stop_recording();  // the parts of a recording cannot be measured
        result.parts = parts_of(loading());
        if (group_.size() > 1) {
            part_off_reduction(result.parts, same);
        }
        result.flop = flop_of(same);
        result.without_model = seconds_of_reading();
        result.matmul = matmul_speed(device_, product_type(trial_.settings().precision), order_.seconds);
        return result;
    }

    std::optional<double> evaluation(datasets::SampleStream* stream) {
        if (stream == nullptr) {
            return {};
        }
        const auto evaluate = [&] { evaluate_share(trial_, *stream, group_, pulse_); };
        const double first = seconds_of(1, evaluate);
        const bool again = of_rank_0(first < order_.seconds ? 1 : 0) > 0;  // training keeps data that fit in memory too
        return again ? seconds_of(1, evaluate) : first;
    }

    /// Trains a few more steps on all members, and writes rank 0's trace of them.
    void trace(const std::string& file) {
        namespace profiler = torch::autograd::profiler;
        using torch::profiler::impl::ActivityType;
        if (group_.rank() != 0) {
            return run(num_traced_steps, loading());
        }
        std::set<ActivityType> activities{ActivityType::CPU};
        if (!device_.place().is_cpu()) {
            activities.insert(ActivityType::CUDA);
        }
        const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
        profiler::prepareProfiler(config, activities);
        profiler::enableProfiler(config, activities);
        run(num_traced_steps, loading());
        profiler::disableProfiler()->save(file);
    }

  private:
    using Step = std::function<void()>;

    void enter() {
        batches_.enter({.seed = {order_.sweep_seed, trial_.seed()},
                        .epoch = epoch_,
                        .position = 0,
                        .group_batch = trial_.group_batch(),
                        .rank = group_.rank(),
                        .size = group_.size()});
    }

    LoadedBatch next() {
        for (;;) {
            if (auto batch = batches_.next()) {
                return std::move(*batch);
            }
            ++epoch_;
            enter();
        }
    }

    /// Returns the next batch that is not the short one at the end of an epoch.
    LoadedBatch full_batch() {
        for (;;) {
            auto batch = next();
            if (batch.slice.group_samples() == trial_.group_batch()) {
                return batch;
            }
        }
    }

    /// A step as in training, which loads the next samples while it computes.
    Step loading() {
        return [this] { trial_.step(next(), group_, reducer_, [this] { batches_.fetch(); }); };
    }

    void run(int count, const Step& step) {
        for (int i = 0; i < count; ++i) {
            step();
            pulse_.beat();
        }
        await(device_);
    }

    /// Mean seconds of `count` steps.
    double seconds_of(int count, const Step& step) {
        const auto began = Clock::now();
        run(count, step);
        return since(began) / count;
    }

    /// Mean seconds of the parts of a step.
    Metrics parts_of(const Step& step) {
        PartTimes times(device_);
        run(steps_, step);
        Metrics parts;
        for (const auto& [name, seconds] : times.take()) {
            parts[name] = seconds / steps_;
        }
        return parts;
    }

    /// In a group, backward overlaps a part of the exchange with computation. The rest of the exchange is the time by
    /// which it is longer than backward in a group of one, while all members compute alone. (An exchange after backward
    /// is a separate part.) A member whose share of the batch is empty has no backward of its own.
    void part_off_reduction(Metrics& parts, const LoadedBatch& same) {
        const Group alone(device_);
        GradientReducer reducer(alone, trial_.learning_parameters());
        const double backward = parts_of([&] { trial_.step(same, alone, reducer); })["backward"];
        const double longer = std::max(0.0, parts["backward"] - backward);
        parts["reduction"] += longer;
        parts["backward"] -= longer;
    }

    double flop_of(const LoadedBatch& same) {
        const Group alone(device_);
        GradientReducer reducer(alone, trial_.learning_parameters());
        const FlopCounter counter;
        trial_.step(same, alone, reducer);
        return counter.flop();
    }

    /// Mean seconds of a step that only brings its samples to the device, over an epoch or the time available for it.
    double seconds_of_reading() {
        ++epoch_;
        enter();
        const auto began = Clock::now();
        int count = 0;
        while (count == 0 || since(began) < order_.seconds) {
            if (!batches_.next()) {
                break;
            }
            ++count;
            pulse_.beat();
        }
        await(device_);
        return since(began) / std::max(1, count);
    }

    double of_rank_0(double number) { return group_.sum({group_.rank() == 0 ? number : 0.0}).front(); }

    const Profile& order_;
    Trial& trial_;
    const Device& device_;
    const Group& group_;
    GradientReducer reducer_;
    BatchLoader batches_;
    Pulse& pulse_;
    std::int64_t epoch_ = 0;
    int steps_ = 0;
};

}  // namespace

Profiled profile(const Profile& order, const nlohmann::json& settings, Trial& trial, const Group& group,
                 DataCache& data, Pulse& pulse) {
    Profiler profiler(order, trial, group, data, pulse);
    Profiled result = profiler.measure();
    const auto& sets = trial.settings().data;
    result.evaluation =
        profiler.evaluation(sets.validation.empty() ? nullptr : &data.evaluation(sets.validation, sets));
    if (!order.trace.empty()) {
        profiler.trace(order.trace);
    }
    if (group.rank() == 0) {
        const auto began = Clock::now();
        write_checkpoint(std::filesystem::path(order.directory) / protocol::trial_files::checkpoint,
                         checkpoint_of(trial, settings));
        result.checkpoint = since(began);
    }
    return result;
}

}  // namespace crescendo::trainer
