// Tests that need a GPU. Each test says why it is skipped if there is none. With CRESCENDO_DEVICE=cpu, the tests that
// make sense on a CPU run. scripts/gpu_check.sh runs these and other trainer tests on a machine with a GPU.

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "core/random.hpp"
#include "core/trial_protocol.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/test_device.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/training/trial.hpp"

using namespace crescendo;
using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

/// These tests and the trainers that they start use a GPU by default.
const int takes_a_gpu = ::setenv(protocol::device_variable, "cuda", /*overwrite=*/0);

/// The device; null, after a message with the reason, if it is not available.
const Device* device() {
    static std::string reason;
    static const std::unique_ptr<Device> device = []() -> std::unique_ptr<Device> {
        try {
            return make_test_device();
        } catch (const std::runtime_error& error) {
            reason = error.what();
            return nullptr;
        }
    }();
    if (!device) {
        MESSAGE("skipped: " << reason);
    }
    return device.get();
}

const Device* gpu() {
    const Device* found = device();
    if (found != nullptr && found->place().is_cpu()) {
        MESSAGE("skipped: this needs a GPU, and CRESCENDO_DEVICE is cpu");
        return nullptr;
    }
    return found;
}

std::size_t free_memory() { return at::accelerator::getMemoryInfo(0).first; }

/// The result of training a single worker on random images, which are the same on every device.
struct Learned {
    std::vector<at::Tensor> state = {};  ///< parameters and buffers
    bool recorded = false;               ///< whether its last steps came from a recording
};

Learned learned(const Json& section, const Device& device) {
    constexpr std::int64_t num_samples = 32;
    const std::string model = section["model"];
    Task task{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 4, .num_samples = num_samples};
    if (model == "r2plus1d") {
        task.input_shape = {2, 8, 8};
    } else if (model == "autoencoder" || model == "unet") {
        task.kind = Task::Kind::regression;
        task.target_shape = {8, 8};
        task.num_outputs = 64;
        if (section.contains("data")) {  // with latitudes
            task.row_weights = {0, 0.4, 0.8, 1.2, 1.6, 1.6, 1.4, 1};
        }
    }
    task.class_weights = section.value("class_weights", std::vector<double>{});
    Trial trial(/*number=*/0, /*seed=*/1, settings_of(section), task, device);
    trial.set_group(/*size=*/1, {});
    const Group group(device);
    GradientReducer reducer(group, trial.parameters());
    const auto generator = at::detail::createCPUGenerator(1);
    for (int step = 0; step < 20; ++step) {
        LoadedBatch loaded;
        loaded.slice.member_samples = {num_samples};
        loaded.slice.samples.resize(num_samples);
        std::vector<std::int64_t> shape{num_samples};
        shape.insert(shape.end(), task.input_shape.begin(), task.input_shape.end());
        const at::Tensor inputs = at::randn(shape, generator);
        loaded.batch = {device.upload(inputs),
                        device.upload(task.kind == Task::Kind::regression ? inputs.flatten(1)
                                                                          : at::arange(num_samples).remainder(4))};
        trial.step(loaded, group, reducer);
    }
    Learned result{.recorded = trial.records_steps()};
    for (const auto& each : trial.named_tensors()) {
        result.state.push_back(each.tensor.detach().cpu());
    }
    return result;
}

}  // namespace

TEST_CASE("one worker learns on a GPU what it learns on a CPU, to four digits") {
    const Device* const there = device();
    if (there == nullptr) {
        return;
    }
    const auto cpu = make_cpu_device();
    for (const char* model : {"cnn", "mlp", "vit", "lstm"}) {
        CAPTURE(model);
        const Json settings{{"model", model}, {"width", 8},           {"depth", 1},    {"heads", 2},
                            {"lr", 0.01},     {"activation", "tanh"}, {"dropout", 0.2}};
        const auto here = learned(settings, *cpu).state;
        const auto far = learned(settings, *there).state;
        for (std::size_t i = 0; i < here.size(); ++i) {
            CHECK(at::allclose(here[i], far[i], /*rtol=*/1e-4, /*atol=*/1e-4));
        }
    }
}

TEST_CASE("replayed steps match ordinary steps bit for bit in every model") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    std::vector<Json> networks;
    for (const char* model :
         {"cnn", "mlp", "vit", "transformer", "lstm", "gru", "resnet18", "r2plus1d", "autoencoder", "unet"}) {
        networks.push_back({{"model", model}});
        networks.push_back({{"model", model}, {"precision", "bf16"}});
    }
    networks.push_back({{"model", "cnn"},
                        {"flip", "horizontal"},
                        {"crop_padding", 1},
                        {"cutout", 2},
                        {"input_noise", 0.1},
                        {"dropout", 0.2},
                        {"ema", 0.9},
                        {"optimizer", "adamw"}});
    networks.push_back({{"model", "mlp"}, {"precision", "fp16"}, {"dropout", 0.2}, {"clip_norm", 0.1}});
    networks.push_back({{"model", "mlp"}, {"label_smoothing", 0.1}, {"sam", 0.05}});
    networks.push_back({{"model", "mlp"}, {"class_weights", {1.0, 3.0, 0.5, 2.0}}});
    for (const char* loss : {"mse", "relative_l2"}) {
        networks.push_back(
            {{"model", "unet"}, {"loss", loss}, {"data", {{"train", "era5.nc:/"}, {"latitude", "lat"}}}});
    }
    for (Json& network : networks) {
        CAPTURE(network.dump());
        network.update({{"width", 8}, {"depth", 1}, {"heads", 2}, {"lr", 0.01}, {"deterministic", "on"}});
        const Learned recorded = learned(network, *there);
        network["cuda_graphs"] = "off";
        const Learned plain = learned(network, *there);

        CHECK(recorded.recorded);
        CHECK_FALSE(plain.recorded);
        for (std::size_t i = 0; i < plain.state.size(); ++i) {
            CHECK(at::equal(recorded.state[i], plain.state[i]));
        }
    }
}

TEST_CASE("a trial's steps are recorded however much memory the previous trial used") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    at::empty({static_cast<std::int64_t>(free_memory() / 10 * 6)}, at::TensorOptions(there->place()).dtype(at::kByte));
    there->rest();

    CHECK(learned({{"model", "mlp"}, {"width", 8}, {"lr", 0.01}}, *there).recorded);
}

TEST_CASE("a failed recording leaves the GPU usable") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    const auto ones = at::ones({4}, at::TensorOptions(there->place()));
    for (int i = 0; i < 3; ++i) {
        CHECK_THROWS(there->record([&] { ones.sum().item<float>(); }));  // a recording must not make the host wait
        CHECK_THROWS_AS(there->record([&] {
            ones.sum();
            throw std::runtime_error("not now");
        }),
                        std::runtime_error);
    }
    CHECK(at::rand({4}, ones.options()).max().item<float>() <= 1);  // the generator is not stuck in a recording

    at::Tensor sum;
    const auto recording = there->record([&] { sum = ones.sum(); });
    ones.mul_(2);
    recording->replay();
    CHECK(sum.item<float>() == 8);
}

TEST_CASE("the memory of a recording that the GPU still replays can be given back") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    const auto ones = at::ones({std::int64_t{1} << 26}, at::TensorOptions(there->place()));  // 256 MiB
    at::Tensor product;
    auto recording = there->record([&] {
        product = ones;
        for (int i = 0; i < 1000; ++i) {
            product = product.mul(ones);
        }
    });
    REQUIRE(recording != nullptr);

    recording->replay();
    product.reset();
    recording.reset();
    there->give_back_memory();

    CHECK(ones.sum().item<float>() == 1 << 26);
}

TEST_CASE("one hundred NCCL groups of one rank take no more memory than the first ones") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    using Clock = std::chrono::steady_clock;
    const auto seconds_since = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    struct Times {
        double form = 0;
        double end = 0;
    };
    const auto train = [&](int count, bool unfinished) {
        Times times;
        for (int i = 0; i < count; ++i) {
            const auto begin = Clock::now();
            const auto group = there->make_process_group(c10::make_intrusive<c10d::HashStore>(), /*rank=*/0, /*size=*/1,
                                                         {.timeout = std::chrono::seconds(60)});
            std::vector<at::Tensor> numbers{at::full({1000}, 3.0, at::TensorOptions(there->place()))};
            group->allreduce(numbers)->wait();
            REQUIRE(there->finish(*group, [] { return false; }));
            times.form += seconds_since(begin) / count;
            CHECK(numbers[0].sum().item<double>() == 3000);
            if (unfinished) {
                group->allreduce(numbers)->wait();
            }
            const auto ended = Clock::now();
            there->dissolve(*group);
            times.end += seconds_since(ended) / count;
        }
        return times;
    };
    const auto report = [](const std::string& what, const Times& times) {
        MESSAGE(what << " forms and adds up in " << 1000 * times.form << " ms, and ends in " << 1000 * times.end
                     << " ms");
    };

    report("a group that finds its communicator", train(20, /*unfinished=*/false));
    report("a group of a new communicator that ends with work left to do", train(10, /*unfinished=*/true));
    // Each trial has four groups. None can reuse a communicator because the previous trial used other algorithms.
    const std::array<std::array<const char*, 4>, 2> algorithms{
        {{"Ring", "Tree", "Ring,Tree", "Tree,Ring"}, {"ring", "tree", "ring,tree", "tree,ring"}}};
    constexpr int num_trials = 25;
    std::size_t before = 0;
    Times new_ones;
    for (int trial = 0; trial < num_trials; ++trial) {
        if (trial == 3) {                                          // the number of kept communicators is now constant
            std::this_thread::sleep_for(std::chrono::seconds(3));  // while NCCL ends the others
            before = free_memory();
        }
        for (int i = 0; i < 4; ++i) {
            ::setenv("NCCL_ALGO", algorithms[static_cast<std::size_t>(trial % 2)][static_cast<std::size_t>(i)],
                     /*overwrite=*/1);
            const Times times = train(1, /*unfinished=*/false);
            if (i > 0) {  // the first one waits for the others to end
                new_ones.form += times.form / (3 * num_trials);
                new_ones.end += times.end / (3 * num_trials);
            }
        }
        there->rest();
    }
    ::unsetenv("NCCL_ALGO");
    report("a group of a new communicator", new_ones);
    const auto rounding = std::size_t{64} << 20;
    for (const auto began = Clock::now(); free_memory() + rounding < before && seconds_since(began) < 20;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // while NCCL ends the last ones
    }
    CHECK(free_memory() + rounding >= before);
}

TEST_CASE("a trial that does not fit into GPU memory reports out_of_memory and trains in smaller parts") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    const SweepFixture sweep;
    const auto train = [&](std::int64_t accumulation) {
        FakeCrescendo crescendo(1, "crescendo-trainer");
        Terms terms = sweep.terms("trial");
        terms.settings.update({{"model", "mlp"}, {"depth", 1}, {"width", 1 << 20}, {"batch_size", 96}});
        terms.accumulation = accumulation;
        crescendo.join({0}, "new", terms);
        return crescendo.await_one_of(0, {"report", "failed"});
    };
    // The weights of 2^20 units, their gradients and momentum take 0.9 GB, and CUDA about 0.5 GB. Each tensor of the
    // forward and backward passes takes 0.4 GB for 96 samples. So some amount of memory suffices for part of the batch
    // but not for all of it.
    Json answer = Json::object();
    at::Tensor taken;
    constexpr std::size_t step = std::size_t{200} << 20;
    for (std::size_t left = 13 * step; answer.value("type", "") != "failed"; left -= step) {
        REQUIRE(left >= 7 * step);
        taken.reset();
        there->give_back_memory();
        REQUIRE(free_memory() > left);
        taken = at::empty({static_cast<std::int64_t>(free_memory() - left)},
                          at::TensorOptions(there->place()).dtype(at::kByte));
        answer = train(/*accumulation=*/1);
    }
    CHECK(answer["kind"] == "out_of_memory");
    std::int64_t accumulation = 1;
    while (answer["type"] == "failed") {
        CHECK(answer["kind"] == "out_of_memory");
        accumulation *= 2;
        REQUIRE(accumulation <= 128);
        answer = train(accumulation);
    }
    MESSAGE("in " << accumulation << " parts it trains");
    taken.reset();
    there->give_back_memory();
}

TEST_CASE("a worker that shares its GPU runs out of memory at its share") {
    const Device* const there = gpu();
    if (there == nullptr) {
        return;
    }
    const SweepFixture sweep;
    Terms terms = sweep.terms("trial");
    terms.settings.update({{"model", "mlp"}, {"depth", 1}, {"width", 1 << 20}, {"batch_size", 1}});
    const auto answer_with = [&](const char* share) {
        FakeCrescendo crescendo(1, "crescendo-trainer", {{protocol::gpu_share_variable, share}});
        crescendo.join({0}, "new", terms);
        return crescendo.await_one_of(0, {"report", "failed"});
    };
    REQUIRE(free_memory() > std::size_t{4} << 30);  // the trial takes one or two GiB
    CHECK(answer_with("1")["type"] == "report");
    CHECK(answer_with("1000").value("kind", "") == "out_of_memory");
}

TEST_CASE("fifty trials of random networks train one after another in one process") {
    if (device() == nullptr) {
        return;
    }
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    CounterRandom random(/*seed=*/1, /*stream=*/0);
    const auto below = [&](std::uint64_t count) { return static_cast<std::int64_t>(random.next() % count); };
    for (std::int64_t trial = 0; trial < 50; ++trial) {
        const std::vector<std::string> models{"cnn", "mlp", "vit", "transformer", "lstm", "gru"};
        const std::vector<std::string> precisions{"float32", "tf32", "bf16"};
        Terms terms = sweep.terms("trial-" + std::to_string(trial));
        terms.trial = trial;
        terms.settings.update({{"model", models[static_cast<std::size_t>(below(models.size()))]},
                               {"precision", precisions[static_cast<std::size_t>(below(precisions.size()))]},
                               {"width", 4 + 4 * below(16)},
                               {"heads", 2},
                               {"depth", 1 + below(2)},
                               {"batch_size", 1 + below(40)},
                               {"optimizer", below(2) == 0 ? "sgd" : "adamw"}});
        CAPTURE(terms.settings.dump());

        CHECK(crescendo.train({0}, "new", terms, 1)["metrics"]["train_loss"].is_number());

        crescendo.leave({0}, /*save=*/false, trial);
    }
}
