#include "trainer/training/trial.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/spelling.hpp"
#include "tests/trainer/local_group.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/tensors.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/settings/loss_spec.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/training/evaluation.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_samples = 8;

const Task normed_task{.kind = Task::Kind::classification,
                       .input_shape = {8, 8},
                       .target_shape = {},
                       .num_outputs = 2,
                       .num_samples = num_samples};

/// A trial of a model with buffers.
Trial normed_trial(const Device& device, int size, double lr = 0.1) {
    Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", "normed"}, {"lr", lr}, {"batch_size", 4}}),
                normed_task, device);
    trial.set_group(size, {.multiple = 2});
    return trial;
}

/// Identical samples: images of `brightness`.
LoadedBatch images(double brightness, std::int64_t count) {
    LoadedBatch loaded;
    loaded.slice.member_samples = {count, num_samples - count};  // another member has the rest
    loaded.slice.samples.resize(static_cast<std::size_t>(count));
    loaded.batch = {at::full({count, 8, 8}, brightness), at::zeros({count}, at::kLong)};
    return loaded;
}

/// A trial that trains alone.
struct Alone {
    explicit Alone(const Settings& settings) : trial(/*number=*/0, /*seed=*/1, settings, normed_task, *device) {
        trial.set_group(/*size=*/1, {});
    }

    std::unique_ptr<Device> device = make_cpu_device();
    Trial trial;
    Group group{*device};
    GradientReducer reducer{group, trial.parameters()};

    void step(
        const LoadedBatch& batch, const std::function<void()>& in_step = [] {}) {
        trial.step(batch, group, reducer, in_step);
    }
};

/// The weights and the bias of a linear model in one matrix.
at::Tensor joined(const std::vector<NamedTensor>& tensors) {
    return at::cat({tensors[0].tensor, tensors[1].tensor.unsqueeze(1)}, 1).detach().to(at::kDouble);
}

/// A model that lists a buffer under two names.
struct Twins : Model {
    Twins() {
        register_parameter("weight", at::zeros({64, 2}));
        const at::Tensor buffer = at::ones({1});
        register_buffer("first", buffer);
        register_buffer("second", buffer);
    }
    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
        return inputs.flatten(1).mm(named_parameters()["weight"]);
    }
};

struct TwinsSpec : ModelSpec {
    std::shared_ptr<Model> make(const Task& /*task*/) const override { return std::make_shared<Twins>(); }
};

/// Compares each sample with the others in its batch.
class Spread : public LossSpec {
  public:
    at::Tensor sum(const at::Tensor& outputs, const at::Tensor& /*targets*/) const override {
        return (outputs - outputs.mean(0)).square().sum();
    }
    std::vector<Problem> misfits_of_task(const Task& /*task*/) const override { return {}; }
};

}  // namespace

TEST_CASE("a model's buffers are listed after its parameters") {
    const auto device = make_cpu_device();
    const Trial trial = normed_trial(*device, /*size=*/1);

    CHECK(crescendo::names_of(trial.named_tensors()) ==
          std::vector<std::string>{"conv.weight", "conv.bias", "norm.weight", "norm.bias", "output.weight",
                                   "output.bias", "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"});
}

TEST_CASE("a failed step leaves the trial and its buffers unchanged") {
    const auto device = make_cpu_device();
    Trial trial = normed_trial(*device, /*size=*/1);
    const Group group(*device);
    GradientReducer reducer(group, trial.parameters());
    const auto batch = images(0.5, num_samples);
    trial.step(batch, group, reducer);
    const auto before = copies(trial.named_tensors());

    const auto fail = [] { throw std::runtime_error("the data are damaged"); };
    CHECK_THROWS_AS(trial.step(batch, group, reducer, fail), std::runtime_error);

    CHECK(same(copies(trial.named_tensors()), before));
    CHECK(trial.progress().step == 1);
    trial.step(batch, group, reducer);
    CHECK(trial.buffers().back().item<std::int64_t>() == 4);  // two micro-batches per step
    CHECK_FALSE(same(copies(trial.named_tensors()), before));
}

TEST_CASE("the losses of steps are added in order in float64, starting from an earlier sum") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"lr", 0.0}, {"batch_size", num_samples}});
    Trial trial(/*number=*/0, /*seed=*/1, settings, normed_task, *device);
    Progress begun;
    begun.loss_sum = 0.1;
    begun.loss_samples = 3;
    begun.rate.batch = begun.rate.first_batch = num_samples;
    trial.restore(begun);
    trial.set_group(/*size=*/1, {});
    const Group group(*device);
    GradientReducer reducer(group, trial.parameters());
    double sum = 0.1;
    const auto train = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const auto loaded = images(0.1 + i / 7.0, num_samples);
            sum += loss_sum(settings.loss, normed_task, {}, trial.model().forward(loaded.batch.inputs),
                            loaded.batch.targets)
                       .item<double>();
            trial.step(loaded, group, reducer);
        }
    };

    train(5);
    CHECK(trial.full_progress().loss_sum == sum);
    CHECK(trial.full_progress().loss_samples == 3 + 5 * num_samples);

    trial.restore(trial.full_progress());  // like a checkpoint or a regroup
    train(5);
    CHECK(trial.full_progress().loss_sum == sum);

    trial.forget_losses();
    sum = 0;
    train(1);
    CHECK(trial.full_progress().loss_sum == sum);
    CHECK(trial.full_progress().loss_samples == num_samples);

    trial.restore(begun);
    CHECK(trial.full_progress().loss_sum == 0.1);
}

TEST_CASE("if a checkpoint's batch exceeds the training set, a step has all samples") {
    const auto device = make_cpu_device();
    Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", "mlp"}, {"batch_size", num_samples}}), normed_task,
                *device);
    Progress of_earlier_version;
    of_earlier_version.rate.first_batch = 2 * num_samples;
    of_earlier_version.rate.batch = 4 * num_samples;

    trial.restore(of_earlier_version);

    CHECK(trial.progress().rate.first_batch == num_samples);
    CHECK(trial.progress().rate.batch == num_samples);
}

TEST_CASE("every step of a group begins with the buffers of rank 0") {
    const auto device = make_cpu_device();
    std::array<std::array<at::Tensor, 2>, 2> means;  // by rank and step

    in_group(2, *device, [&](const Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        Trial trial = normed_trial(*device, /*size=*/2, /*lr=*/0.0);
        GradientReducer reducer(group, trial.parameters());
        for (auto& mean : means[rank]) {
            trial.step(images(rank == 0 ? 0.5 : 2.0, num_samples / 2), group, reducer);
            mean = trial.buffers().front().detach().clone();
        }
    });

    // A step keeps 0.9 of the current mean and adds 0.1 of the mean of its own samples; the first step starts from
    // zeros.
    CHECK_FALSE(at::allclose(means[0][0], means[1][0]));
    CHECK(at::allclose(means[0][1], 0.9 * means[0][0] + means[0][0]));
    CHECK(at::allclose(means[1][1], 0.9 * means[0][0] + means[1][0]));
}

TEST_CASE("measuring the noise leaves the trial bit-identical") {
    const auto device = make_cpu_device();
    for (const auto& [size, batch_size] : {std::pair{1, 8}, {1, 4}, {2, 4}, {3, 2}}) {
        CAPTURE(size);
        CAPTURE(batch_size);
        const auto trained = [&, size = size, batch_size = batch_size](std::int64_t first_step) {
            // The trials are not made in the members' threads, because these share the generator of initial weights.
            const auto settings = settings_of({{"model", "normed"}, {"batch_size", batch_size}});
            std::vector<Trial> trials;
            for (int rank = 0; rank < size; ++rank) {
                trials.emplace_back(/*number=*/0, /*seed=*/1, settings, normed_task, *device);
            }
            in_group(size, *device, [&](const Group& group) {
                Trial& trial = trials[static_cast<std::size_t>(group.rank())];
                trial.set_group(size, {.multiple = static_cast<int>(num_samples / batch_size)});
                trial.progress().step = first_step;
                GradientReducer reducer(group, trial.parameters());
                const std::int64_t begin = num_samples * group.rank() / size;
                const std::int64_t end = num_samples * (group.rank() + 1) / size;
                for (int i = 0; i < 2; ++i) {
                    trial.step(images(0.5 + group.rank(), end - begin), group, reducer);
                }
            });
            CHECK((trials[0].progress().noise_scale.gradient() != 0) == (first_step == 0));
            return copies(trials[0].named_tensors());
        };

        CHECK(same(trained(/*first_step=*/0), trained(/*first_step=*/1)));  // only step 0 is measured
    }
}

TEST_CASE("measuring the noise leaves a trial bit-identical whose loss compares samples with each other") {
    auto settings = settings_of({{"model", "mlp"}, {"batch_size", num_samples}});
    settings.loss.of_plugin = std::make_shared<Spread>();
    at::manual_seed(1);
    auto batch = images(/*brightness=*/0.0, num_samples);
    batch.batch.inputs.normal_();
    const auto trained = [&](std::int64_t first_step) {
        Alone alone(settings);
        Trial& trial = alone.trial;
        trial.progress().step = first_step;
        alone.step(batch);
        CHECK((trial.progress().noise_scale.gradient() != 0) == (first_step == 0));
        return copies(trial.named_tensors());
    };

    CHECK(same(trained(/*first_step=*/0), trained(/*first_step=*/1)));  // only step 0 is measured
}

TEST_CASE("the noise scale measured at fixed weights matches that of the samples' gradients") {
    constexpr std::int64_t num_images = 256;
    constexpr std::int64_t group_batch = 32;
    const auto device = make_cpu_device();
    at::manual_seed(1);
    const at::Tensor targets = at::randint(2, {num_images}, at::kLong);
    const at::Tensor inputs = at::randn({num_images, 8, 8}) + targets.view({-1, 1, 1});  // class 1 is brighter
    std::vector<at::Tensor> steps;
    for (int step = 0; step < 200; ++step) {
        steps.push_back(at::randperm(num_images).narrow(0, 0, group_batch));
    }
    const auto loaded = [&](const at::Tensor& which) {
        LoadedBatch batch;
        batch.slice.member_samples.assign(static_cast<std::size_t>(group_batch / which.numel()), which.numel());
        batch.slice.samples.resize(static_cast<std::size_t>(which.numel()));
        batch.batch = {inputs.index_select(0, which), targets.index_select(0, which)};
        return batch;
    };
    const auto trial_of = [&](int size, std::int64_t batch_size) {
        Task many = normed_task;
        many.num_samples = num_images;
        const auto settings =
            settings_of({{"model", "mlp"}, {"width", 16}, {"depth", 1}, {"lr", 0.0}, {"batch_size", batch_size}});
        auto trial = std::make_unique<Trial>(/*number=*/0, /*seed=*/1, settings, many, *device);
        trial->set_group(size, {.multiple = static_cast<int>(group_batch / batch_size)});
        return trial;
    };

    // |G|² and S from the gradients of the individual samples.
    const auto trial = trial_of(/*size=*/1, group_batch);
    at::Tensor sum;
    double squares = 0;
    for (std::int64_t i = 0; i < num_images; ++i) {
        for (auto& parameter : trial->parameters()) {
            parameter.mutable_grad().reset();
        }
        const at::Tensor outputs = trial->model().forward(inputs.narrow(0, i, 1));
        at::cross_entropy_loss(outputs, targets.narrow(0, i, 1)).backward();
        std::vector<at::Tensor> gradient;
        for (const auto& parameter : trial->parameters()) {
            gradient.push_back(parameter.grad().reshape(-1).to(at::kDouble));
        }
        const at::Tensor flat = at::cat(gradient);
        sum = sum.defined() ? sum + flat : flat;
        squares += flat.dot(flat).item<double>();
    }
    const double of_mean = sum.dot(sum).item<double>() / (num_images * num_images);
    const double noise = (squares / num_images - of_mean) * num_images / (num_images - 1);
    const double gradient = of_mean - noise / num_images;
    CAPTURE(noise);
    CAPTURE(gradient);

    for (const auto& [size, batch_size] : {std::pair{1, 32}, {1, 16}, {2, 16}, {4, 8}}) {
        CAPTURE(size);
        CAPTURE(batch_size);
        std::vector<std::unique_ptr<Trial>> trials;
        for (int rank = 0; rank < size; ++rank) {
            trials.push_back(trial_of(size, batch_size));
        }
        in_group(size, *device, [&, size = size](const Group& group) {
            const auto& measured = trials[static_cast<std::size_t>(group.rank())];
            GradientReducer reducer(group, measured->parameters());
            const std::int64_t share = group_batch / size;
            for (const auto& step : steps) {
                measured->progress().step = 0;  // so that each step is measured
                measured->step(loaded(step.narrow(0, share * group.rank(), share)), group, reducer);
            }
            auto& scale = measured->progress().noise_scale;
            scale.set_noise(group.sum({scale.noise()}).front() / size);
        });
        const auto& scale = trials[0]->progress().noise_scale;
        CHECK(scale.noise() == doctest::Approx(noise).epsilon(0.15));
        CHECK(scale.value().value() == doctest::Approx(noise / gradient).epsilon(0.2));
    }
}

TEST_CASE("a hundred steps with a schedule, clipping and an average follow the formulas") {
    Alone alone(settings_of({{"model", "mlp"},
                             {"depth", 0},
                             {"momentum", 0.0},
                             {"lr", 0.5},
                             {"batch_size", num_samples},
                             {"report", {{"unit", "steps"}}},
                             {"lr_schedule", "cosine"},
                             {"clip_norm", 0.05},
                             {"ema", 0.9}}));
    Trial& trial = alone.trial;
    trial.set_length(100);
    at::manual_seed(1);
    LoadedBatch batch;
    batch.slice.member_samples = {num_samples};
    batch.slice.samples.resize(num_samples);
    batch.batch = {at::randn({num_samples, 8, 8}), at::arange(num_samples).remainder(2)};
    const at::Tensor x = at::cat({batch.batch.inputs.flatten(1), at::ones({num_samples, 1})}, 1).to(at::kDouble);
    at::Tensor weights = joined(trial.named_tensors());
    at::Tensor average = weights.clone();

    for (int step = 0; step < 100; ++step) {
        alone.step(batch);
        const at::Tensor wrong = at::matmul(x, weights.t()).softmax(1) - at::one_hot(batch.batch.targets, 2);
        const at::Tensor gradient = at::matmul(wrong.t(), x) / num_samples;
        const double shorter = std::min(1.0, 0.05 / gradient.norm().item<double>());
        weights = weights - gradient * (shorter * 0.5 * (1 + std::cos(step * 3.14159265358979 / 100)) / 2);
        const double decay = std::min(0.9, (2.0 + step) / (11.0 + step));
        average = average * decay + weights * (1 - decay);
    }

    CHECK(at::allclose(joined(trial.named_tensors()), weights, /*rtol=*/1e-4, /*atol=*/1e-5));
    CHECK(at::allclose(joined(trial.averages()), average, /*rtol=*/1e-4, /*atol=*/1e-5));
    const at::Tensor before = joined(trial.named_tensors());
    const auto own = trial.exchange_weights(trial.evaluation_weights());
    CHECK(at::allclose(joined(trial.named_tensors()), average, /*rtol=*/1e-4, /*atol=*/1e-5));
    trial.exchange_weights(own);
    CHECK(at::equal(joined(trial.named_tensors()), before));
}

TEST_CASE("an evaluation uses the moving averages of both the weights and a norm's statistics") {
    Alone alone(settings_of({{"model", "normed"}, {"batch_size", num_samples}, {"ema", 0.9}}));
    Trial& trial = alone.trial;
    auto averages = copies(trial.buffers());

    for (int step = 0; step < 20; ++step) {
        alone.step(images(0.1 * step, num_samples));
        const double decay = std::min(0.9, (2.0 + step) / (11.0 + step));
        for (std::size_t i = 0; i < 2; ++i) {  // mean and variance
            averages[i] = averages[i] * decay + trial.buffers()[i] * (1 - decay);
        }
    }

    const auto trained = copies(trial.named_tensors());
    {
        const EvaluationMode mode(trial);
        const auto evaluated = trial.buffers();
        CHECK(at::allclose(evaluated[0], averages[0], /*rtol=*/1e-4, /*atol=*/1e-6));
        CHECK(at::allclose(evaluated[1], averages[1], /*rtol=*/1e-4, /*atol=*/1e-6));
        CHECK(evaluated[2].item<std::int64_t>() == 20);  // the count of batches is not averaged
    }
    CHECK(same(copies(trial.named_tensors()), trained));
    CHECK_FALSE(at::allclose(trial.buffers()[0], averages[0], /*rtol=*/1e-2));
}

TEST_CASE("a hundred steps of sharpness-aware minimisation follow the formulas") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of(
        {{"model", "mlp"}, {"depth", 0}, {"momentum", 0.0}, {"lr", 0.1}, {"batch_size", num_samples}, {"sam", 0.3}});
    at::manual_seed(1);
    const at::Tensor inputs = at::randn({num_samples, 8, 8});
    const at::Tensor targets = at::arange(num_samples).remainder(2);
    const at::Tensor x = at::cat({inputs.flatten(1), at::ones({num_samples, 1})}, 1).to(at::kDouble);
    const auto gradient = [&](const at::Tensor& weights) {
        return at::matmul((at::matmul(x, weights.t()).softmax(1) - at::one_hot(targets, 2)).t(), x) / num_samples;
    };
    for (const int size : {1, 2}) {
        CAPTURE(size);
        std::vector<std::unique_ptr<Trial>> trials;
        for (int rank = 0; rank < size; ++rank) {
            trials.push_back(std::make_unique<Trial>(/*number=*/0, /*seed=*/1, settings, normed_task, *device));
            trials.back()->set_group(size, {});
        }
        at::Tensor weights = joined(trials[0]->named_tensors());
        in_group(size, *device, [&, size = size](const Group& group) {
            Trial& trial = *trials[static_cast<std::size_t>(group.rank())];
            GradientReducer reducer(group, trial.parameters());
            const auto share = num_samples / size;
            LoadedBatch batch;
            batch.slice.member_samples.assign(static_cast<std::size_t>(size), share);
            batch.slice.samples.resize(static_cast<std::size_t>(share));
            const auto first = group.rank() * share;
            batch.batch = {inputs.narrow(0, first, share), targets.narrow(0, first, share)};
            for (int step = 0; step < 100; ++step) {
                trial.step(batch, group, reducer);
            }
        });
        for (int step = 0; step < 100; ++step) {
            const at::Tensor here = gradient(weights);
            weights = weights - 0.1 * gradient(weights + 0.3 * here / here.norm());
        }
        for (const auto& trial : trials) {
            CHECK(at::allclose(joined(trial->named_tensors()), weights, /*rtol=*/1e-4, /*atol=*/1e-5));
        }
    }
}

TEST_CASE("if the climb to sharper weights fails, the weights are restored") {
    Alone alone(settings_of({{"model", "mlp"}, {"sam", 0.3}, {"batch_size", num_samples}}));
    Trial& trial = alone.trial;
    trial.progress().step = 1;  // this step is not measured
    const auto before = copies(trial.named_tensors());

    // The last gradient has the wrong shape, so the other weights have moved before the climb fails, as if it ran out
    // of memory.
    const auto spoil = [&] { trial.parameters().back().mutable_grad() = at::ones({3, 5, 7}); };
    CHECK_THROWS(alone.step(images(0.5, num_samples), spoil));

    CHECK(same(copies(trial.named_tensors()), before));
}

TEST_CASE("a step with sharpness-aware minimisation keeps the buffers of its first pass") {
    const auto buffers_after_step = [&](double sam) {
        Alone alone(settings_of({{"model", "normed"}, {"lr", 0.1}, {"batch_size", 8}, {"sam", sam}}));
        alone.step(images(0.5, num_samples));
        return copies(alone.trial.buffers());
    };

    CHECK(same(buffers_after_step(0.3), buffers_after_step(0.0)));
}

TEST_CASE("an evaluation uses the optimizer's average, and training gets its own weights back") {
    Alone alone(settings_of({{"model", "mlp"}, {"depth", 0}, {"optimizer", "schedule_free"}}));
    Trial& trial = alone.trial;
    const auto first = copies(trial.named_tensors());
    const auto evaluated = [&] {
        const EvaluationMode mode(trial);
        return copies(trial.named_tensors());
    };

    CHECK(same(evaluated(), first));
    for (int step = 0; step < 3; ++step) {
        alone.step(images(0.5, num_samples));
    }

    const auto trained = copies(trial.named_tensors());
    CHECK(same(evaluated(), trial.optimizer().evaluation_weights()));
    CHECK_FALSE(same(evaluated(), trained));
    CHECK(same(copies(trial.named_tensors()), trained));
}

TEST_CASE("a trial whose optimizer is reset continues from the weights used in evaluation") {
    Alone alone(settings_of({{"model", "mlp"},
                             {"batch_size", 4},
                             {"optimizer", "schedule_free"},
                             {"schedule_free_beta", 0.5},
                             {"optimizer_state", "reset"}}));
    Trial& trial = alone.trial;
    for (int step = 0; step < 3; ++step) {
        alone.step(images(0.5, 4));
    }
    const auto evaluated = [&] {
        const EvaluationMode mode(trial);
        return copies(trial.named_tensors());
    };
    const auto before = evaluated();
    REQUIRE_FALSE(same(before, copies(trial.named_tensors())));

    trial.set_group(/*size=*/1, {.multiple = 2});

    CHECK(trial.optimizer().num_steps() == 0);
    CHECK(same(evaluated(), before));
}

TEST_CASE(
    "a new size or batch of the group resets the optimizer, but a trial that continues as it was keeps its state") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"batch_size", 4}, {"optimizer_state", "reset"}});
    const auto steps_kept = [&](int size, int multiple) {
        Trial trial(/*number=*/0, /*seed=*/1, settings, normed_task, *device);
        Progress saved{.size = 1};
        saved.rate.batch = saved.rate.first_batch = 4;
        trial.restore(saved);
        trial.optimizer().reset(/*num_steps=*/3);
        trial.set_group(size, {.multiple = multiple});
        return trial.optimizer().num_steps();
    };

    CHECK(steps_kept(/*size=*/1, /*multiple=*/1) == 3);
    CHECK(steps_kept(/*size=*/2, /*multiple=*/1) == 0);
    CHECK(steps_kept(/*size=*/1, /*multiple=*/2) == 0);
}

TEST_CASE("the learning rate begins to rise when the batch grows, not before") {
    const auto after_step = [](std::int64_t batch_size, int multiple) {
        Alone alone(settings_of({{"model", "mlp"}, {"batch_size", batch_size}, {"momentum", 0.0}}));
        alone.trial.progress().epoch = 2;
        alone.trial.set_group(/*size=*/1, {.multiple = multiple});
        alone.step(images(0.5, num_samples));
        return copies(alone.trial.named_tensors());
    };

    CHECK(same(after_step(num_samples / 2, /*multiple=*/2), after_step(num_samples, /*multiple=*/1)));
}

TEST_CASE("a short step measures the same gradient as a full one, also if its other samples were left out") {
    const auto gradient = [](std::int64_t samples, std::int64_t left_out) {
        Alone alone(settings_of({{"model", "mlp"}, {"batch_size", num_samples}}));
        LoadedBatch batch = images(0.5, samples);  // identical ones, so there is no noise
        batch.slice.member_samples = {samples + left_out};
        alone.step(batch);
        CHECK(alone.trial.progress().noise_scale.noise() == doctest::Approx(0.0).epsilon(1e-6));
        return alone.trial.progress().noise_scale.gradient();
    };
    const double full = gradient(num_samples, 0);

    CHECK(full > 0);
    CHECK(gradient(num_samples / 2, 0) == doctest::Approx(full).epsilon(1e-5));
    CHECK(gradient(1, num_samples - 1) == doctest::Approx(full).epsilon(1e-5));
}

TEST_CASE("training gets its buffers back after an evaluation with their averages, also one with two names") {
    Settings settings = settings_of({{"model", "mlp"}, {"ema", 0.9}});
    settings.model = std::make_shared<TwinsSpec>();
    Alone alone(settings);
    const at::Tensor buffer = alone.trial.buffers().front();
    buffer.fill_(3);  // the average is 1

    { const EvaluationMode mode(alone.trial); }

    CHECK(buffer.item<double>() == 3);
}

TEST_CASE("a trial ends with an epoch if that contains all of its remaining samples, except by seconds") {
    const auto device = make_cpu_device();
    std::int64_t batch = 4;
    const auto ends = [&](const char* unit, std::int64_t length, std::int64_t epoch, std::int64_t position) {
        Trial trial(/*number=*/0, /*seed=*/1,
                    settings_of({{"model", "mlp"}, {"batch_size", batch}, {"report", {{"unit", unit}}}}), normed_task,
                    *device);
        trial.set_group(/*size=*/1, {});
        trial.set_length(length);
        trial.progress().epoch = epoch;
        trial.progress().position = position;
        trial.progress().step = (epoch * num_samples + position) / batch;
        return trial.ends_with_epoch();
    };

    CHECK_FALSE(ends("epochs", 3, /*epoch=*/1, /*position=*/4));
    CHECK(ends("epochs", 3, /*epoch=*/2, /*position=*/0));
    CHECK(ends("epochs", 3, /*epoch=*/2, /*position=*/4));
    CHECK_FALSE(ends("samples", 20, /*epoch=*/1, /*position=*/4));  // 8 samples are left, 4 of them in this epoch
    CHECK(ends("samples", 20, /*epoch=*/2, /*position=*/0));
    CHECK_FALSE(ends("steps", 5, /*epoch=*/1, /*position=*/4));  // two steps are left, one of them in this epoch
    CHECK(ends("steps", 5, /*epoch=*/2, /*position=*/0));
    batch = 5;  // an epoch has steps of 5 and 3 samples
    CHECK_FALSE(ends("steps", 3, /*epoch=*/0, /*position=*/5));
    CHECK(ends("steps", 2, /*epoch=*/0, /*position=*/0));
    CHECK_FALSE(ends("seconds", 1, /*epoch=*/0, /*position=*/0));
    CHECK_FALSE(ends("epochs", 0, /*epoch=*/2, /*position=*/0));  // the length is unknown
}
