// Compares the gradient noise scale that a trial measures with a direct one, from the gradients of many batches at the
// same weights.
//
//   noise_scale accuracy FILE:/GROUP STEPS    at STEPS, 2·STEPS and 3·STEPS steps of training
//   noise_scale cost FILE:/GROUP TURNS        time of steps with and without measurement, in turn: TURNS times
//                                             32 steps
//
// `accuracy` fails if an estimate of up to three batches is 20 % off at fixed weights; no average can follow changing
// weights. Its last column is the estimate from the differences of consecutive gradients, which the trainer does not
// use.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/cpu_seconds.hpp"
#include "core/median.hpp"
#include "tests/trainer/local_group.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/device/matrix_products.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/models.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/optimizers/optimizers.hpp"
#include "trainer/settings/catalogue.hpp"
#include "trainer/training/trial.hpp"

namespace {

using namespace crescendo::trainer;
using nlohmann::json;

constexpr std::int64_t group_batch = 128;
constexpr int steps_at_once = 8;  ///< steps of one kind per timing
constexpr double tolerance = 0.2;
constexpr double most_scale = 3.0 * group_batch;  ///< above this, noise hides the gradient, and the estimate is coarse

Settings settings_of(const std::string& model, int size, double lr, const std::string& data) {
    std::vector<Problem> problems;
    const json section = {
        {"model", model}, {"lr", lr}, {"batch_size", group_batch / size}, {"data", {{"train", data}}}};
    Settings settings = parse_settings(section, {models(), optimizers()}, problems);
    require_none(problems);
    return settings;
}

/// A member's endless pass through the training samples.
class Samples {
  public:
    Samples(const Settings& settings, const Task& task, const Group& group, std::uint64_t seed)
        : group_(group), seed_(seed), loader_(cache_.training(settings.data), task, group.device()) {
        enter();
    }

    LoadedBatch next() {
        auto loaded = loader_.next();
        if (!loaded) {
            ++epoch_;
            enter();
            loaded = loader_.next();
        }
        return std::move(*loaded);
    }
    void fetch() { loader_.fetch(); }

  private:
    void enter() {
        loader_.enter({.seed = seed_,
                       .epoch = epoch_,
                       .position = 0,
                       .group_batch = group_batch,
                       .rank = group_.rank(),
                       .size = group_.size()});
    }

    const Group& group_;
    std::uint64_t seed_;
    std::int64_t epoch_ = 0;
    DataCache cache_;
    BatchLoader loader_;
};

/// The members' threads share the generator of initial weights, so they make their trials one after the other.
Trial make_trial(const Settings& settings, const Task& task, const Device& device) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    return Trial(/*number=*/0, /*seed=*/1, settings, task, device);
}

/// A member's trial with its samples.
struct Member {
    Member(const Group& in, const Settings& settings, const Task& task, std::uint64_t seed)
        : group(in),
          trial(make_trial(settings, task, in.device())),
          reducer(in, trial.parameters()),
          samples(settings, task, in, seed) {
        trial.set_group(in.size(), {.multiple = in.size()});
    }

    void step() {
        trial.step(samples.next(), group, reducer, [this] { samples.fetch(); });
    }
    /// Averages the noise over the group, as a report does.
    void agree() {
        auto& scale = trial.progress().noise_scale;
        scale.set_noise(group.sum({scale.noise()}).front() / group.size());
    }

    const Group& group;
    Trial trial;
    GradientReducer reducer;
    Samples samples;
};

struct Moments {
    double gradient = 0.0;  ///< |G|²
    double noise = 0.0;     ///< trace of the covariance

    double scale() const { return noise / gradient; }
};

/// The gradient of the trial's parameters.
at::Tensor flat_gradient(const Trial& trial) {
    std::vector<at::Tensor> all;
    for (const auto& parameter : trial.parameters()) {
        all.push_back(parameter.grad().reshape(-1).to(at::kDouble));
    }
    return at::cat(all);
}

/// The moments over many batches of the training set, always the same batches.
class Direct {
  public:
    static constexpr std::size_t some = 100;
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

    Direct(const Settings& settings, const Task& task, const Device& device) {
        DataCache cache;
        BatchLoader loader(cache.evaluation(settings.data.train, settings.data), task, device);
        loader.enter({.seed = 0, .epoch = 0, .position = 0, .group_batch = samples, .rank = 0, .size = 1});
        for (auto loaded = loader.next(); loaded && std::ssize(loaded->slice.samples) == samples;
             loaded = loader.next()) {
            batches_.push_back({loaded->batch.inputs.clone(), loaded->batch.targets.clone()});
        }
    }

    /// Over at most this many batches.
    Moments at(Trial& trial, std::size_t most) const {
        at::Tensor mean;
        double squares = 0;
        const std::size_t num_batches = std::min(most, batches_.size());
        for (const auto& batch : std::span(batches_).first(num_batches)) {
            const at::Tensor gradient = gradient_of(trial, batch);
            mean = mean.defined() ? mean + gradient : gradient;
            squares += gradient.dot(gradient).item<double>();
        }
        const auto count = static_cast<double>(num_batches);
        mean /= count;
        const double of_mean = mean.dot(mean).item<double>();
        const double of_batch = (squares / count - of_mean) * count / (count - 1);  // S / samples
        return {.gradient = of_mean - of_batch / count, .noise = of_batch * samples};
    }

  private:
    static constexpr std::int64_t samples = 32;

    static at::Tensor gradient_of(Trial& trial, const Batch& batch) {
        for (auto& parameter : trial.parameters()) {
            parameter.mutable_grad().reset();
        }
        (loss_sum({}, trial.task(), trial.loss_weights(), trial.model().forward(batch.inputs), batch.targets) / samples)
            .backward();
        return flat_gradient(trial);
    }

    std::vector<Batch> batches_;
};

/// Moments during training, averaged as NoiseScale averages its measurements.
class Trail {
  public:
    /// The moments of every `every`-th step are added, and the trial measures every `measured`-th one. A hundred of its
    /// measurements count.
    Trail(std::int64_t every, std::int64_t measured)
        : keep_(std::pow(0.99, static_cast<double>(every) / static_cast<double>(measured))) {}

    void add(const Moments& now) {
        gradient_ = keep_ * gradient_ + (1 - keep_) * now.gradient;
        noise_ = keep_ * noise_ + (1 - keep_) * now.noise;
        weight_ = keep_ * weight_ + (1 - keep_);
    }
    Moments mean() const { return {.gradient = gradient_ / weight_, .noise = noise_ / weight_}; }

  private:
    double keep_;
    double gradient_ = 0.0;
    double noise_ = 0.0;
    double weight_ = 0.0;
};

/// The moments from the differences between gradients of consecutive steps, as in Pollux (OSDI 2021) for one worker.
/// The weights change between the two steps.
class Differenced {
  public:
    void add(const Trial& trial) {
        at::Tensor gradient = flat_gradient(trial);
        const double norm = gradient.dot(gradient).item<double>();
        if (last_.defined()) {
            const double product = gradient.dot(last_).item<double>();
            trail_.add({.gradient = product, .noise = group_batch * ((norm + last_norm_) / 2 - product)});
        }
        last_ = std::move(gradient);
        last_norm_ = norm;
    }
    Moments mean() const { return trail_.mean(); }

  private:
    Trail trail_{/*every=*/1, measured_every};
    at::Tensor last_;
    double last_norm_ = 0.0;
};

Moments measured(const NoiseScale& scale) { return {.gradient = scale.gradient(), .noise = scale.noise()}; }

/// The trial's own measurement at fixed weights, in steps that are all measured.
Moments at_fixed_weights(const Member& member, const std::string& model, const std::string& data) {
    Member frozen(member.group, settings_of(model, member.group.size(), /*lr=*/0.0, data), member.trial.task(),
                  /*seed=*/2);
    const auto from = member.trial.named_tensors();
    const auto to = frozen.trial.named_tensors();
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i].tensor.detach().copy_(from[i].tensor.detach());
    }
    for (int i = 0; i < 500; ++i) {
        frozen.trial.progress().step = 0;
        frozen.step();
    }
    frozen.agree();
    return measured(frozen.trial.progress().noise_scale);
}

/// Prints the error of each moment of training. Returns whether all are within the tolerance.
bool accuracy_of(const std::string& model, int size, const std::string& data, std::int64_t steps) {
    constexpr std::int64_t every = 16;
    bool good = true;
    const auto device = make_cpu_device();
    test::in_group(size, *device, [&](const Group& group) {
        DataCache cache;
        const Settings settings = settings_of(model, size, /*lr=*/0.01, data);
        const Task task = describe_task(settings, cache);
        Member member(group, settings, task, /*seed=*/1);
        const Direct direct(settings, task, *device);
        Trail trail(every, /*measured=*/size == 1 ? single_measured_every : measured_every);
        Differenced differenced;
        for (std::int64_t step = 1; step <= 3 * steps; ++step) {
            if (group.rank() == 0 && (step - 1) % every == 0) {  // a step that the trial also measures
                trail.add(direct.at(member.trial, Direct::some));
            }
            member.step();
            if (size == 1) {
                differenced.add(member.trial);
            }
            if (step % steps != 0) {
                continue;
            }
            member.agree();
            const Moments fixed = at_fixed_weights(member, model, data);
            if (group.rank() == 0) {
                const Moments now = direct.at(member.trial, Direct::all);
                const Moments along = trail.mean();
                const Moments trained = measured(member.trial.progress().noise_scale);
                const double off_fixed = fixed.scale() / now.scale();
                const double off_trained = trained.scale() / along.scale();
                std::printf("| %s | %d | %lld | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | ", model.c_str(), size,
                            static_cast<long long>(step), now.scale(), fixed.scale(), off_fixed, along.scale(),
                            trained.scale(), off_trained);
                if (size == 1) {
                    std::printf("%.2f |\n", differenced.mean().scale() / along.scale());
                } else {
                    std::printf("|\n");
                }
                std::fflush(stdout);
                good = good && (now.scale() > most_scale || std::abs(off_fixed - 1) < tolerance);
            }
        }
    });
    return good;
}

struct Seconds {
    double wall = 0.0;
    double cpu = 0.0;  ///< of the calling thread, which trains and measures; other processes hardly affect it

    Seconds& operator+=(const Seconds& other) {
        wall += other.wall;
        cpu += other.cpu;
        return *this;
    }
};

/// Always uses the same samples, because an epoch's end would fall into steps of one kind only.
Seconds seconds_of_steps(Member& member, const LoadedBatch& batch, bool are_measured) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = crescendo::benchmarks::cpu_seconds(RUSAGE_THREAD);
    for (int i = 0; i < steps_at_once; ++i) {
        member.trial.progress().step = are_measured ? 0 : 1;
        member.trial.step(batch, member.group, member.reducer, [] {});
    }
    return {.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            .cpu = crescendo::benchmarks::cpu_seconds(RUSAGE_THREAD) - cpu_begin};
}

/// Prints what the measurement adds to an average step, in percent, if only one in several steps is measured: the
/// median of the ratios, and its 95 % interval.
void print_percents(std::vector<double> ratios, std::int64_t one_of) {
    std::ranges::sort(ratios);
    // By ranks: finds which of n independent numbers enclose their median.
    const double middle = static_cast<double>(ratios.size() - 1) / 2;
    const double half = std::min(middle, 0.98 * std::sqrt(static_cast<double>(ratios.size())));
    const auto percent = [&](double rank) {
        return 100 * (ratios[static_cast<std::size_t>(rank)] - 1) / static_cast<double>(one_of);
    };
    std::printf(" %+.2f %% | %+.2f to %+.2f %% |", percent(middle), percent(middle - half), percent(middle + half));
}

/// Compares steps that are all measured with steps that are not, this many times: the time of one measured step in
/// sixteen would be lost in the machine's noise.
void cost_of(const std::string& model, int size, const std::string& data, int turns) {
    const auto device = make_cpu_device();
    test::in_group(size, *device, [&](const Group& group) {
        DataCache cache;
        const Settings settings = settings_of(model, size, /*lr=*/0.01, data);
        const Task task = describe_task(settings, cache);
        Member member(group, settings, task, /*seed=*/1);
        const LoadedBatch batch = member.samples.next();
        seconds_of_steps(member, batch, /*are_measured=*/true);
        std::vector<double> without;
        std::vector<double> wall_ratios;
        std::vector<double> cpu_ratios;
        for (int turn = 0; turn < turns; ++turn) {
            // In this order, because the second of two may be faster.
            Seconds seconds[2];
            for (const bool measured : {true, false, false, true}) {
                seconds[measured ? 1 : 0] += seconds_of_steps(member, batch, measured);
            }
            without.push_back(seconds[0].wall / 2);
            wall_ratios.push_back(seconds[1].wall / seconds[0].wall);
            cpu_ratios.push_back(seconds[1].cpu / seconds[0].cpu);
        }
        if (group.rank() == 0) {
            const auto one_of = size == 1 ? single_measured_every : measured_every;
            std::printf("| %s | %d | %.3f |", model.c_str(), size, 1e3 * crescendo::median(without) / steps_at_once);
            print_percents(std::move(wall_ratios), one_of);
            print_percents(std::move(cpu_ratios), one_of);
            std::printf("\n");
            std::fflush(stdout);
        }
    });
}

}  // namespace

int main(int count, char** arguments) {
    const std::string what = count == 4 ? arguments[1] : "";
    if (what != "accuracy" && what != "cost") {
        std::fprintf(stderr, "usage: noise_scale accuracy FILE:/GROUP STEPS | noise_scale cost FILE:/GROUP TURNS\n");
        return 2;
    }
    const std::string data = arguments[2];
    const int number = std::atoi(arguments[3]);
    at::set_num_threads(1);
    // As the trainer does.
    const MatrixProducts products;
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    bool good = true;
    if (what == "accuracy") {
        std::printf("| model | workers | step | direct | measured | ratio | direct, in training | measured | ratio | "
                    "ratio of differences |\n|---|---|---|---|---|---|---|---|---|---|\n");
    } else {
        std::printf(
            "| model | workers | ms a step | the measurement adds | 95 %% interval | CPU time of a worker | "
            "95 %% interval |\n|---|---|---|---|---|---|---|\n");
    }
    for (const char* model : {"cnn", "mlp"}) {
        for (const int size : {1, 2, 4}) {
            if (what == "accuracy") {
                good = accuracy_of(model, size, data, number) && good;
            } else {
                cost_of(model, size, data, number);
            }
        }
    }
    return good ? 0 : 1;
}
