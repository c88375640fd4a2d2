#include "trainer/step/precision.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/plugins/plugin_libraries.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/tensors.hpp"
#include "tests/trainer/test_device.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/protocol/failure.hpp"
#include "trainer/training/evaluation.hpp"
#include "trainer/training/trial.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t images_in_batch = 32;
constexpr int num_steps = 60;

/// Noisy images of 8 x 8 in four classes, each of which is brighter in a different quarter.
struct Images {
    at::Tensor inputs;
    at::Tensor targets;

    Images(std::int64_t count, std::uint64_t seed) {
        const auto generator = at::detail::createCPUGenerator(seed);
        targets = at::arange(count).remainder(4);
        inputs = at::randn({count, 8, 8}, generator);
        for (std::int64_t image = 0; image < 4; ++image) {
            inputs.slice(0, image, {}, 4).narrow(1, image / 2 * 4, 4).narrow(2, image % 2 * 4, 4).add_(0.7);
        }
    }
};

const Task images_task{.kind = Task::Kind::classification,
                       .input_shape = {8, 8},
                       .target_shape = {},
                       .num_outputs = 4,
                       .num_samples = images_in_batch * num_steps};

LoadedBatch part_of(const Images& images, std::int64_t begin, std::int64_t count, const Device& device, int size = 1) {
    LoadedBatch loaded;
    loaded.slice.member_samples.assign(static_cast<std::size_t>(size), count);
    for (std::int64_t i = 0; i < count; ++i) {
        loaded.slice.samples.push_back(begin + i);
    }
    loaded.batch = {device.upload(images.inputs.narrow(0, begin, count)),
                    device.upload(images.targets.narrow(0, begin, count))};
    return loaded;
}

std::unique_ptr<Trial> trial_in(const Json& section, const Device& device, int size = 1,
                                const Task& task = images_task) {
    Json settings{{"batch_size", images_in_batch}, {"lr", 0.05}};
    settings.update(section);
    auto trial = std::make_unique<Trial>(/*number=*/0, /*seed=*/1, settings_of(settings), task, device);
    trial->set_group(size, {});
    return trial;
}

/// Members in one process share a single autograd thread for its GPU, so the first one to wait for the others in that
/// thread would wait forever.
const bool can_have_two = !on_gpu();

struct Learned {
    double loss = 0.0;      ///< over 2,000 other images
    double accuracy = 0.0;  ///< over the same images, in percent
    std::vector<at::Tensor> weights = {};
};

/// What the members' trials learn in an epoch.
Learned learned(const Json& section, int size = 1) {
    const auto device = make_test_device();
    const Images images(images_task.num_samples, 1);
    const Images others(2000, 2);
    std::vector<std::unique_ptr<Trial>> trials;
    for (int rank = 0; rank < size; ++rank) {
        trials.push_back(trial_in(section, *device, size));
    }
    in_group(size, *device, [&](const Group& group) {
        Trial& trial = *trials[static_cast<std::size_t>(group.rank())];
        GradientReducer reducer(group, trial.parameters());
        const std::int64_t share = images_in_batch / size;
        for (int step = 0; step < num_steps; ++step) {
            trial.step(part_of(images, step * images_in_batch + group.rank() * share, share, *device, size), group,
                       reducer);
        }
    });
    const at::NoGradGuard no_gradients;
    const EvaluationMode mode(*trials[0]);
    SumsOnDevice sums(*trials[0]);
    const std::vector<std::int64_t> numbers(static_cast<std::size_t>(others.targets.size(0)));
    sums.add(trials[0]->forward(device->upload(others.inputs)), device->upload(others.targets), numbers);
    const auto all = sums.fetch(Group(*device));
    Learned result{.loss = all.loss / all.samples, .accuracy = 100 * all.correct / all.samples};
    for (const auto& parameter : trials[0]->parameters()) {
        result.weights.push_back(parameter.detach().clone());
    }
    return result;
}

/// The largest difference of weights, relative to the largest weight of their tensor.
double difference(const Learned& a, const Learned& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.weights.size(); ++i) {
        const auto scale = a.weights[i].abs().max().item<double>();
        most = std::max(most, (a.weights[i] - b.weights[i]).abs().max().item<double>() / scale);
    }
    return most;
}

Json with(Json settings, const Json& more) {
    settings.update(more);
    return settings;
}

LossScale scale_of(double value) { return Json{{"value", value}, {"finite_steps", 0}}.get<LossScale>(); }

}  // namespace

TEST_CASE("autocast gives products short types while it exists") {
    const at::Tensor a = at::randn({4, 4});
    const auto type = [&](Precision precision) {
        const Autocast autocast(precision, at::kCPU);
        return at::mm(a, a).scalar_type();
    };

    CHECK((type(Precision::bf16) == at::kBFloat16));
    CHECK((type(Precision::fp16) == at::kHalf));
    CHECK((type(Precision::tf32) == at::kFloat));
    CHECK((type(Precision::float32) == at::kFloat));
    CHECK((at::mm(a, a).scalar_type() == at::kFloat));
}

TEST_CASE("products on GPUs use TF32 if a trial asks for it, but not in the next trial") {
    const auto allowed = [](Precision precision, at::DeviceType device) {
        set_process_switches(precision, /*deterministic=*/false, device);
        CHECK(at::globalContext().allowTF32CuBLAS() == at::globalContext().allowTF32CuDNN());
        return at::globalContext().allowTF32CuBLAS();
    };

    CHECK(allowed(Precision::tf32, at::kCUDA));
    CHECK_FALSE(allowed(Precision::float32, at::kCUDA));
    CHECK_FALSE(allowed(Precision::tf32, at::kCPU));
}

TEST_CASE("an operation without a deterministic form is refused only in a deterministic trial") {
    const auto device = make_test_device();
    const auto put = [] { at::zeros({4}).put_(at::zeros({1}, at::kLong), at::ones({1})); };

    trial_in({{"model", "mlp"}, {"deterministic", "on"}}, *device);
    CHECK(at::globalContext().deterministicCuDNN());
    CHECK(at::globalContext().deterministicMkldnn());
    std::string message;
    try {
        put();
    } catch (...) {
        message = describe_failure().message;
    }
    CHECK(message ==
          "put_ gives different bits each time, which trainer.deterministic does not allow; set it to off, or use a "
          "model or loss without this operation");

    trial_in({{"model", "mlp"}}, *device);
    CHECK_FALSE(at::globalContext().deterministicCuDNN());
    put();
}

TEST_CASE("gradients are unscaled, and a gradient that is not finite is detected") {
    std::vector<at::Tensor> parameters{at::zeros({2}).requires_grad_(),
                                       at::zeros({3}, at::kFloat).requires_grad_()};
    parameters[0].mutable_grad() = at::full({2}, 6.0);
    parameters[1].mutable_grad() = at::full({3}, 8.0, at::kFloat);

    CHECK(unscale_gradients(parameters, 2.0));
    CHECK(at::equal(parameters[0].grad(), at::full({2}, 3.0)));
    CHECK(at::equal(parameters[1].grad(), at::full({3}, 4.0, at::kFloat)));
    parameters[0].mutable_grad()[1] = std::numeric_limits<float>::infinity();
    CHECK_FALSE(unscale_gradients(parameters, 2.0));
}

TEST_CASE("bf16 and TF32 match float32 within a percentage point of accuracy and a few percent of the loss") {
    for (const Json& network : {Json{{"model", "cnn"}, {"width", 8}}, Json{{"model", "mlp"}, {"width", 64}}}) {
        CAPTURE(network.dump());
        const Learned full = learned(network);
        CHECK(full.accuracy > 80);
        const Learned brief = learned(with(network, {{"precision", "bf16"}}));
        CAPTURE(brief.accuracy);
        CHECK(std::abs(brief.accuracy - full.accuracy) <= 1);  // kernels also differ by about 0.5
        CHECK(brief.loss == doctest::Approx(full.loss).epsilon(0.03));
        CHECK(difference(full, brief) > 1e-4);  // it is not float32

        if (can_have_two) {
            const Learned two = learned(with(network, {{"precision", "bf16"}}), /*size=*/2);
            CHECK(two.loss == doctest::Approx(brief.loss).epsilon(0.02));
            CHECK(difference(brief, two) < 2 * difference(brief, full));  // both round, in different ways
        }
        const Learned tf32 = learned(with(network, {{"precision", "tf32"}}));
        CHECK(tf32.loss == doctest::Approx(full.loss).epsilon(0.03));
        CHECK((on_gpu() ? difference(full, tf32) > 0.0 : difference(full, tf32) == 0.0));
    }
}

TEST_CASE("with every option fp16 nearly matches float32, on one worker and on two") {
    const std::vector<Json> options{{{"clip_norm", 0.1}},
                                    {{"clip_value", 0.01}},
                                    {{"sam", 0.05}},
                                    {{"ema", 0.9}, {"dropout", 0.2}},
                                    {{"optimizer", "adamw"}, {"lr", 0.002}}};
    const Json network{{"model", "mlp"}, {"width", 8}, {"depth", 1}};
    for (const Json& option : options) {
        CAPTURE(option.dump());
        const Learned full = learned(with(network, option));
        const Json settings = with(with(network, option), {{"precision", "fp16"}});
        const Learned one = learned(settings);
        CHECK(one.loss == doctest::Approx(full.loss).epsilon(0.03));
        if (can_have_two) {
            const Learned two = learned(settings, /*size=*/2);
            CHECK(two.loss == doctest::Approx(one.loss).epsilon(0.02));
            CHECK(difference(one, two) < 0.1);
        }
    }
}

TEST_CASE("every model trains in bf16 with deterministic operations") {
    const auto device = make_test_device();
    std::vector<Json> networks;
    for (const char* model : {"cnn", "mlp", "vit", "transformer", "lstm", "gru", "normed"}) {
        networks.push_back({{"model", model}});
    }
    for (const char* norm : {"sync_batch", "group"}) {
        networks.push_back({{"model", "resnet18"}, {"norm", norm}});
    }
    for (const char* model : {"autoencoder", "unet"}) {
        networks.push_back({{"model", model}, {"depth", 1}});
    }
    networks.push_back({{"model", "r2plus1d"}});
    constexpr std::int64_t few = 8;
    const Images images(few, 1);
    for (Json& network : networks) {
        CAPTURE(network.dump());
        if (network["model"] != "normed") {
            network.update({{"width", 4}, {"heads", 2}});
        }
        network.update({{"lr", 0.01}, {"batch_size", few}, {"precision", "bf16"}, {"deterministic", true}});
        Task task = images_task;
        LoadedBatch batch = part_of(images, 0, few, *device);
        const std::string model = network["model"];
        if (model == "autoencoder" || model == "unet") {
            task.kind = Task::Kind::regression;
            task.target_shape = {8, 8};
            task.num_outputs = 64;
            batch.batch.targets = batch.batch.inputs.flatten(1);
        } else if (model == "r2plus1d") {
            task.input_shape = {2, 8, 8};
            batch.batch.inputs = at::stack({batch.batch.inputs, batch.batch.inputs}, 1);
        }
        std::vector<std::unique_ptr<Trial>> trials;
        std::vector<double> losses(2);
        const int size = can_have_two ? 2 : 1;
        for (int rank = 0; rank < size; ++rank) {
            trials.push_back(trial_in(network, *device, size, task));
        }
        batch.slice.member_samples.assign(static_cast<std::size_t>(size), few);
        in_group(size, *device, [&](const Group& group) {  // so that norms add up their sums
            Trial& trial = *trials[static_cast<std::size_t>(group.rank())];
            GradientReducer reducer(group, trial.parameters());
            for (double& loss : losses) {
                for (int step = 0; step < 5; ++step) {
                    trial.step(batch, group, reducer);
                }
                const double sum = trial.full_progress().loss_sum;
                trial.forget_losses();
                if (group.rank() == 0) {
                    loss = sum;
                }
            }
        });
        CHECK(losses[1] < losses[0]);
        for (const auto& parameter : trials[0]->parameters()) {
            CHECK((parameter.scalar_type() == at::kFloat));
        }
    }
}

TEST_CASE("a model of a plug-in trains in bf16, and its outputs are converted to float32") {
    const auto device = make_test_device();
    const Images images(images_in_batch, 1);
    const auto trial =
        trial_in({{"model", "gated"}, {"plugins", {plugin_library("mine")}}, {"precision", "bf16"}}, *device);
    const Group group(*device);
    GradientReducer reducer(group, trial->parameters());
    const LoadedBatch batch = part_of(images, 0, images_in_batch, *device);
    const auto before = copies(trial->parameters());

    trial->step(batch, group, reducer);

    CHECK_FALSE(same(copies(trial->parameters()), before));
    CHECK((trial->forward(batch.batch.inputs).scalar_type() == at::kFloat));
}

TEST_CASE("a step with overflowing gradients changes no member and halves the scale of all members") {
    const auto device = make_test_device();
    for (const int size : {1, 2}) {
        if (size > 1 && !can_have_two) {
            continue;
        }
        CAPTURE(size);
        const Json settings{{"model", "mlp"}, {"precision", "fp16"}, {"ema", 0.9}, {"optimizer", "adam"}};
        Images images(images_in_batch, 1);
        std::vector<std::unique_ptr<Trial>> trials;
        for (int rank = 0; rank < size; ++rank) {
            trials.push_back(trial_in(settings, *device, size));
        }
        const std::int64_t share = images_in_batch / size;
        images.inputs.narrow(0, 0, share) *= 100;  // only on rank 0, whose gradients are then larger
        const auto step = [&](double scale) {
            in_group(size, *device, [&](const Group& group) {
                Trial& trial = *trials[static_cast<std::size_t>(group.rank())];
                GradientReducer reducer(group, trial.parameters());
                trial.progress().loss_scale = scale_of(scale);
                trial.step(part_of(images, group.rank() * share, share, *device, size), group, reducer);
            });
        };
        step(1.0);
        const auto weights = copies(trials[0]->parameters());
        const auto average = copies(trials[0]->evaluation_weights());
        const auto updates = trials[0]->optimizer().num_steps();
        const Progress before = trials[0]->progress();

        step(0x1p30);

        for (const auto& trial : trials) {
            CHECK(same(copies(trial->parameters()), weights));
            CHECK(same(copies(trial->evaluation_weights()), average));
            CHECK(trial->optimizer().num_steps() == updates);
            CHECK(trial->progress().loss_scale == scale_of(0x1p29));
            CHECK(trial->progress().step == before.step + 1);  // the samples are not repeated
            CHECK(trial->progress().position == before.position + images_in_batch);
        }
        step(1.0);
        CHECK_FALSE(same(copies(trials[0]->parameters()), weights));
        CHECK(same(copies(trials[0]->parameters()), copies(trials.back()->parameters())));
    }
}

TEST_CASE("an fp16 step whose loss is not finite does not change buffers, the mean loss or the loss scale") {
    const auto device = make_test_device();
    for (const int size : {1, 2}) {
        if (size > 1 && !can_have_two) {
            continue;
        }
        CAPTURE(size);
        const std::int64_t share = images_in_batch / size;
        const Images images(images_in_batch, 1);
        Images bright = images;
        bright.inputs = images.inputs.clone();
        bright.inputs[0][0][0] = 1e6;  // on rank 0, and too large for fp16
        std::vector<std::unique_ptr<Trial>> trials;
        for (int rank = 0; rank < size; ++rank) {
            trials.push_back(trial_in({{"model", "normed"}, {"precision", "fp16"}}, *device, size));
            trials.back()->progress().loss_scale = scale_of(1024);
        }
        const auto step = [&](const Images& samples) {
            in_group(size, *device, [&](const Group& group) {
                Trial& trial = *trials[static_cast<std::size_t>(group.rank())];
                GradientReducer reducer(group, trial.parameters());
                trial.step(part_of(samples, group.rank() * share, share, *device, size), group, reducer);
            });
        };
        step(images);
        const auto state = copies(trials[0]->named_tensors());
        const Progress before = trials[0]->full_progress();
        REQUIRE(std::isfinite(before.loss_sum));

        step(bright);

        for (const auto& trial : trials) {
            CHECK(same(copies(trial->named_tensors()), state));
            CHECK(trial->progress().loss_scale.value() == 1024);
            CHECK(std::isfinite(trial->full_progress().loss_sum));
            CHECK(trial->skipped_steps().steps == 1);
            CHECK(trial->skipped_steps().without_loss == 1);
        }
        CHECK(trials[0]->full_progress().loss_sum == before.loss_sum);
        CHECK(trials[0]->progress().loss_samples == before.loss_samples);
        CHECK(trials.back()->progress().loss_samples == (size == 1 ? 1 : 2) * share);
        step(images);
        CHECK_FALSE(same(copies(trials[0]->named_tensors()), state));
        trials[0]->forget_losses();
        CHECK(trials[0]->skipped_steps().steps == 0);
    }
}

TEST_CASE("an fp16 step whose loss is not finite at sharper weights does not change the loss scale either") {
    const auto device = make_test_device();
    const auto trial = trial_in({{"model", "mlp"}, {"precision", "fp16"}, {"sam", 1e6}}, *device);
    trial->progress().loss_scale = scale_of(1024);
    const Group group(*device);
    GradientReducer reducer(group, trial->parameters());

    trial->step(part_of(Images(images_in_batch, 1), 0, images_in_batch, *device), group, reducer);

    CHECK(trial->skipped_steps().without_loss == 1);
    CHECK(trial->progress().loss_scale.value() == 1024);
}

TEST_CASE("the loss scale affects neither weights nor norms") {
    const auto device = make_test_device();
    const Images images(images_in_batch, 1);
    const auto after_step = [&](double scale) {
        auto trial = trial_in({{"model", "mlp"}, {"precision", "fp16"}, {"clip_norm", 0.5}}, *device);
        trial->set_group(/*size=*/1, {.multiple = 1, .accumulation = 4});
        trial->progress().loss_scale = scale_of(scale);
        const Group group(*device);
        GradientReducer reducer(group, trial->parameters());
        trial->step(part_of(images, 0, images_in_batch, *device), group, reducer);
        return trial;
    };

    const auto one = after_step(1024);
    const auto other = after_step(4096);

    CHECK(at::allclose(one->parameters()[0], other->parameters()[0], /*rtol=*/1e-3, /*atol=*/1e-6));
    const auto &noise = one->progress().noise_scale, &other_noise = other->progress().noise_scale;
    CHECK(noise.noise() == doctest::Approx(other_noise.noise()).epsilon(1e-3));
    CHECK(noise.gradient() == doctest::Approx(other_noise.gradient()).epsilon(1e-3));
    CHECK(noise.noise() > 0);
}

TEST_CASE("three-dimensional convolutions stay float32 on CPUs, where their bf16 gradients are wrong") {
    at::manual_seed(1);
    const at::Tensor inputs = at::randn({13, 8, 2, 4, 4});
    const at::Tensor weight = at::randn({16, 8, 1, 3, 3}), transposed = at::randn({8, 16, 1, 3, 3});
    const auto outcome = [&](Precision precision) {
        const at::Tensor w = weight.detach().requires_grad_(), t = transposed.detach().requires_grad_();
        at::Tensor sum;
        {
            const Autocast autocast(precision, at::kCPU);
            const at::Tensor all =
                at::cat({at::conv3d(inputs, w, {}, 1, {0, 1, 1}).flatten(),
                         at::conv3d(inputs, w, {}, 1, "same").flatten(), at::conv_transpose3d(inputs, t).flatten()});
            CHECK((all.scalar_type() == at::kFloat));
            sum = all.square().sum();
        }
        sum.backward();
        return std::vector<at::Tensor>{sum.detach(), w.grad(), t.grad()};
    };

    const auto wide = outcome(Precision::float32), shorter = outcome(Precision::bf16);

    for (std::size_t i = 0; i < wide.size(); ++i) {
        CHECK(shorter[i].equal(wide[i]));
    }
    const Autocast autocast(Precision::bf16, at::kCPU);
    CHECK((at::conv2d(inputs.select(2, 0), weight.select(2, 0)).scalar_type() == at::kBFloat16));
}
