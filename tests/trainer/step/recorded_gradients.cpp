#include "trainer/step/recorded_gradients.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tests/temporary_folder.hpp"
#include "tests/trainer/host_device.hpp"
#include "tests/trainer/local_group.hpp"
#include "tests/trainer/plugins/plugin_libraries.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/tensors.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/protocol/trial_log.hpp"
#include "trainer/step/noise_scale.hpp"
#include "trainer/training/trial.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using Json = nlohmann::json;

namespace {

/// Runs the recorded work again and counts the replays.
class Again : public Recording {
  public:
    Again(std::function<void()> work, int& count) : work_(std::move(work)), count_(count) {}
    void replay() override {
        ++count_;
        work_();
    }

  private:
    std::function<void()> work_;
    int& count_;
};

/// A processor that can record.
class RecordingDevice : public HostDevice {
  public:
    bool records() const override { return true; }
    std::unique_ptr<Recording> record(const std::function<void()>& work) const override {
        ++recordings;
        if (fails) {
            throw std::runtime_error("operation not permitted when stream is capturing\nwith a second line");
        }
        return std::make_unique<Again>(work, replays);
    }
    c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                              int size, const Patience& patience) const override {
        return make_gloo_group(at::kCPU, store, rank, size, patience);
    }
    bool finish(c10d::ProcessGroup&, const std::function<bool()>&) const override { return true; }
    void dissolve(c10d::ProcessGroup&) const override {}

    bool fails = false;
    mutable int recordings = 0;
    mutable int replays = 0;
};

/// A processor with memory for one recording.
class SmallDevice : public RecordingDevice {
  public:
    std::unique_ptr<Recording> record(const std::function<void()>& work) const override {
        return recordings++ == 0 ? std::make_unique<Again>(work, replays) : nullptr;
    }
};

/// A processor that computes while it records, but returns no recording.
class FailingDevice : public RecordingDevice {
  public:
    std::unique_ptr<Recording> record(const std::function<void()>& work) const override {
        ++recordings;
        is_recording = true;
        try {
            work();
        } catch (...) {
            is_recording = false;
            throw;
        }
        return nullptr;
    }

    mutable bool is_recording = false;
};

constexpr std::int64_t batch_size = 8;

const Task recorded_task{.kind = Task::Kind::classification,
                         .input_shape = {8, 8},
                         .target_shape = {},
                         .num_outputs = 4,
                         .num_samples = 1 << 20};

LoadedBatch images(std::int64_t step, std::int64_t count) {
    const auto generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(step));
    LoadedBatch loaded;
    loaded.slice.member_samples = {count};
    for (std::int64_t i = 0; i < count; ++i) {
        loaded.slice.samples.push_back(step * batch_size + i);
    }
    loaded.batch = {at::randn({count, 8, 8}, generator), at::arange(count).remainder(4)};
    return loaded;
}

/// A single worker on a device.
struct Worker {
    Worker(Json settings, const Device& device)
        : trial(/*number=*/0, /*seed=*/1, settings_of(with_batch(std::move(settings))), recorded_task, device),
          group(device),
          reducer(group, trial.parameters()) {
        trial.set_group(/*size=*/1, {});
    }

    static Json with_batch(Json settings) {
        settings.update({{"batch_size", batch_size}, {"lr", 0.05}});
        settings.emplace("width", 8);
        return settings;
    }

    void train(std::int64_t begin, std::int64_t end, std::int64_t count = batch_size) {
        for (std::int64_t step = begin; step < end; ++step) {
            trial.step(images(step, count), group, reducer);
        }
    }

    Trial trial;
    Group group;
    GradientReducer reducer;
};

}  // namespace

TEST_CASE("replayed steps match ordinary steps, even with short steps and other batches between them") {
    const auto cpu = make_cpu_device();
    const std::vector<Json> networks{{{"model", "mlp"}, {"dropout", 0.3}},
                                     {{"model", "cnn"}, {"depth", 1}, {"flip", "horizontal"}, {"input_noise", 0.1}},
                                     {{"model", "normed"}},
                                     {{"model", "mlp"}, {"sam", 0.05}},
                                     {{"model", "mlp"}, {"ema", 0.9}, {"optimizer", "adamw"}, {"clip_norm", 0.1}}};
    for (const Json& network : networks) {
        CAPTURE(network.dump());
        const RecordingDevice device;
        Worker plain(network, *cpu);
        Worker recorded(network, device);
        for (Worker* worker : {&plain, &recorded}) {
            worker->train(0, 9);
            worker->train(9, 10, /*count=*/5);  // the end of an epoch
            worker->train(10, 14);
            const auto weights = worker->trial.exchange_weights(copies(worker->trial.parameters()));
            worker->train(14, 16);  // the weights are elsewhere in memory
            worker->trial.exchange_weights(weights);
            worker->trial.set_group(1, {.multiple = 2});
            worker->train(16, 24, 2 * batch_size);
        }

        CHECK(same(copies(recorded.trial.named_tensors()), copies(plain.trial.named_tensors())));
        CHECK(recorded.trial.full_progress().loss_sum == plain.trial.full_progress().loss_sum);
        CHECK(recorded.trial.records_steps());
        CHECK(device.recordings == 2);  // one for each batch
        CHECK(device.replays >= 10);
        CHECK_FALSE(plain.trial.records_steps());
    }
}

TEST_CASE("a group learns the same from recordings and averages their gradients in one piece") {
    const std::vector<Json> networks{{{"model", "mlp"}, {"dropout", 0.3}}, {{"model", "cnn"}, {"depth", 1}}};
    for (const Json& network : networks) {
        CAPTURE(network.dump());
        const auto trained = [&](const std::vector<const Device*>& devices) {
            std::vector<std::unique_ptr<Trial>> trials;
            for (const Device* device : devices) {
                trials.push_back(std::make_unique<Trial>(
                    /*number=*/0, /*seed=*/1, settings_of(Worker::with_batch(network)), recorded_task, *device));
            }
            in_group(devices, [&](const Group& group) {
                Trial& trial = *trials[static_cast<std::size_t>(group.rank())];
                trial.set_group(group.size(), {.multiple = 2});
                GradientReducer reducer(group, trial.parameters());
                CHECK(reducer.in_one_piece() == group.device().records());
                for (std::int64_t step = 0; step < 6 * measured_every; ++step) {
                    LoadedBatch batch = images(2 * step + group.rank(), batch_size);
                    batch.slice.member_samples = {batch_size, batch_size};
                    trial.step(batch, group, reducer);
                }
            });
            std::vector<std::vector<at::Tensor>> states;
            for (const auto& trial : trials) {
                states.push_back(copies(trial->named_tensors()));
            }
            return states;
        };
        const auto cpu = make_cpu_device();
        const RecordingDevice first;
        const RecordingDevice second;
        const auto plain = trained({cpu.get(), cpu.get()});
        const auto recorded = trained({&first, &second});

        CHECK(first.recordings == 2);  // some steps are measured
        CHECK(first.replays > 16);
        CHECK(same(recorded[0], recorded[1]));
        CHECK(same(recorded[0], plain[0]));
    }
}

TEST_CASE("a replayed step that fails does not change the trial") {
    const RecordingDevice device;
    Worker worker({{"model", "normed"}}, device);
    worker.train(0, 8);
    REQUIRE(device.replays > 0);
    const auto before = copies(worker.trial.named_tensors());

    const auto fail = [] { throw std::runtime_error("the data are damaged"); };
    CHECK_THROWS_AS(worker.trial.step(images(8, batch_size), worker.group, worker.reducer, fail), std::runtime_error);

    CHECK(same(copies(worker.trial.named_tensors()), before));
    worker.train(8, 9);
    CHECK_FALSE(same(copies(worker.trial.named_tensors()), before));
}

TEST_CASE("a recording is not used for another loss scale") {
    const auto cpu = make_cpu_device();
    const RecordingDevice device;
    const Json fp16{{"model", "mlp"}, {"precision", "fp16"}};
    Worker plain(fp16, *cpu);
    Worker recorded(fp16, device);
    for (Worker* worker : {&plain, &recorded}) {
        for (const double scale : {1024.0, 512.0}) {
            worker->trial.progress().loss_scale = Json{{"value", scale}, {"finite_steps", 0}}.get<LossScale>();
            const auto step = worker->trial.progress().step;
            worker->train(step, step + 6);
        }
    }

    CHECK(device.recordings == 2);
    CHECK(same(copies(recorded.trial.named_tensors()), copies(plain.trial.named_tensors())));
}

TEST_CASE("the recordings of the four kinds of steps that were used last are kept") {
    const RecordingDevice device;
    Worker worker({{"model", "mlp"}}, device);
    worker.trial.progress().step = 1;  // step 0 is measured, and so of a fifth kind
    const auto is_replayed = [&](std::int64_t count) {
        const int before = device.replays;
        worker.train(0, 1, count);
        return device.replays > before;
    };
    const auto record = [&](std::int64_t count) { worker.train(0, 4, count); };
    for (const std::int64_t count : {8, 7, 6, 5}) {
        record(count);
    }

    CHECK(is_replayed(8));
    record(4);
    CHECK(is_replayed(8));
    CHECK_FALSE(is_replayed(7));
}

TEST_CASE("losing a peer while gradients are averaged in one piece leaves the buffers unchanged") {
    const RecordingDevice first;
    const RecordingDevice second;
    Worker survivor({{"model", "normed"}}, first);
    Worker peer({{"model", "normed"}}, second);
    survivor.trial.set_group(/*size=*/2, {.multiple = 2});
    const auto before = copies(survivor.trial.named_tensors());

    in_group({&first, &second}, [&](const Group& group) {
        if (group.rank() == 1) {
            return group.broadcast(peer.trial.buffers());  // as each step begins
        }
        GradientReducer reducer(group, survivor.trial.parameters());
        LoadedBatch batch = images(0, batch_size);
        batch.slice.member_samples = {batch_size, batch_size};
        CHECK_THROWS_AS(survivor.trial.step(batch, group, reducer), PeerLost);
    });

    CHECK(same(copies(survivor.trial.named_tensors()), before));
}

TEST_CASE("if recording fails, steps are computed without it, and it is not tried again") {
    RecordingDevice device;
    device.fails = true;
    Worker worker({{"model", "mlp"}}, device);
    const auto cpu = make_cpu_device();
    Worker plain({{"model", "mlp"}}, *cpu);
    worker.train(0, 12);
    plain.train(0, 12);

    CHECK(device.recordings == 1);
    CHECK(same(copies(worker.trial.named_tensors()), copies(plain.trial.named_tensors())));
}

TEST_CASE("steps without memory for a recording are computed without one, and others keep their recording") {
    const SmallDevice device;
    Worker worker({{"model", "mlp"}}, device);
    const auto cpu = make_cpu_device();
    Worker plain({{"model", "mlp"}}, *cpu);
    for (Worker* each : {&worker, &plain}) {
        each->train(0, 6);
        each->train(6, 12, /*count=*/5);
        each->train(12, 16);
    }

    CHECK(device.recordings == 2);
    CHECK(worker.trial.records_steps());
    CHECK(same(copies(worker.trial.named_tensors()), copies(plain.trial.named_tensors())));
}

TEST_CASE("a trial keeps its recordings in groups that record their steps and frees them in others") {
    const RecordingDevice device;
    const auto keeps = [&](const Json& network, int size) {
        Worker worker(network, device);
        worker.train(0, 6);
        REQUIRE(worker.trial.records_steps());
        worker.trial.make_room_for_group(size);
        return worker.trial.records_steps();
    };
    CHECK(keeps({{"model", "mlp"}}, 2));
    CHECK(keeps({{"model", "mlp"}, {"width", 1100}}, 1));
    CHECK_FALSE(keeps({{"model", "mlp"}, {"width", 1100}}, 2));
    CHECK_FALSE(keeps({{"model", "resnet18"}, {"width", 4}, {"norm", "sync_batch"}}, 2));
}

TEST_CASE("noise measurements of a failed recording are discarded") {
    const auto cpu = make_cpu_device();
    const FailingDevice device;
    Worker worker({{"model", "mlp"}}, device);
    Worker plain({{"model", "mlp"}}, *cpu);
    worker.trial.parameters()[0].register_hook([&](const at::Tensor&) {  // backward reaches the first layer last
        if (device.is_recording) {
            throw std::runtime_error("operation not permitted when stream is capturing");
        }
    });
    for (Worker* each : {&worker, &plain}) {
        for (int step = 0; step < 6; ++step) {
            each->trial.progress().step = 0;  // so that each step is measured
            each->train(step, step + 1);
        }
    }

    CHECK(device.recordings == 1);
    CHECK(same(copies(worker.trial.named_tensors()), copies(plain.trial.named_tensors())));
    CHECK(worker.trial.progress().noise_scale.noise() == plain.trial.progress().noise_scale.noise());
    CHECK(worker.trial.progress().noise_scale.gradient() == plain.trial.progress().noise_scale.gradient());
}

TEST_CASE("the log says once why a plug-in's model is not recorded if the settings ask for it") {
    const crescendo::tests::TemporaryFolder folder;
    const RecordingDevice device;
    for (const char* wanted : {"auto", "on"}) {
        const TrialLog log(folder / wanted);
        Worker worker({{"plugins", {plugin_library("mine")}}, {"model", "gated"}, {"cuda_graphs", wanted}}, device);
        worker.train(0, 6);
    }

    CHECK(device.recordings == 0);
    CHECK(content(folder / "auto" / "trainer.log") == "");
    CHECK(content(folder / "on" / "trainer.log") ==
          "a step is not recorded as a CUDA graph: the model might draw random numbers, which are seeded in the host's "
          "memory\n");
}

TEST_CASE("steps are not recorded if the settings forbid it or after recording has been stopped") {
    const RecordingDevice device;
    Worker off({{"model", "mlp"}, {"cuda_graphs", "off"}}, device);
    off.train(0, 12);
    CHECK(device.recordings == 0);

    Worker watched({{"model", "mlp"}}, device);
    watched.train(0, 8);
    CHECK(watched.trial.records_steps());
    watched.trial.stop_recording();
    watched.train(8, 12);
    CHECK_FALSE(watched.trial.records_steps());
    CHECK(device.recordings == 1);
}
