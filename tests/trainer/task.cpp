#include "trainer/task.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>

#include "sweep_fixture.hpp"
#include "trainer/batch.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::datasets::SampleSet;

TEST_CASE("classes are counted in the targets unless their number is given") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(sweep.train);

    const Task counted = describe_task({}, *samples);

    CHECK(counted.kind == Task::Kind::classification);
    const std::vector<std::int64_t> image{8, 8};
    CHECK(counted.input_shape == image);
    CHECK(counted.num_outputs == 4);
    CHECK(counted.num_samples == 96);
    CHECK(describe_task({.classes = 10}, *samples).num_outputs == 10);
}

TEST_CASE("targets of floating-point numbers make a regression") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(write_numbers(sweep.folder / "numbers.h5", "train", 10));

    const Task task = describe_task({}, *samples);

    CHECK(task.kind == Task::Kind::regression);
    CHECK(task.num_outputs == 2);
}

TEST_CASE("an autoencoder predicts fields as large as its inputs, and reconstructs these where there are none") {
    const SweepFixture sweep;
    const Settings settings{.model = ModelKind::autoencoder};
    const auto task_of = [&](const std::string& location) {
        return describe_task(settings, *SampleSet::open(location));
    };
    const std::string waves = write_waves(sweep.folder / "waves.h5", "train", 8, 1);

    const Task prediction = task_of(waves);
    const Task reconstruction = task_of(without_targets(waves));

    CHECK(prediction.kind == Task::Kind::regression);
    CHECK(prediction.num_outputs == 64);
    CHECK(reconstruction.kind == Task::Kind::reconstruction);
    CHECK(reconstruction.target_shape == reconstruction.input_shape);
    CHECK(reconstruction.num_outputs == 128);
    CHECK(task_of(sweep.train).kind == Task::Kind::reconstruction);  // its targets are classes
}

TEST_CASE("what is reconstructed is what the model sees") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(without_targets(sweep.train));
    crescendo::datasets::Slice slice;
    slice.samples = {0, 1};
    slice.inputs.assign(2 * 64, std::byte{51});

    const Task task = describe_task({.model = ModelKind::autoencoder}, *samples);
    const Batch batch = make_batch(slice, *samples, task, *make_cpu_device());

    CHECK(batch.targets.sizes() == at::IntArrayRef({2, 64}));
    CHECK(batch.targets.min().item<float>() == 51.0F / 255);
    CHECK(at::equal(batch.targets, batch.inputs.flatten(1)));
}

TEST_CASE("bytes come to the model as numbers from 0 to 1, classes as int64") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(sweep.train);
    const Task task = describe_task({}, *samples);
    crescendo::datasets::Slice slice;
    slice.samples = {0, 1};
    slice.inputs.assign(2 * 64, std::byte{255});
    slice.targets = {std::byte{3}, std::byte{1}};

    const Batch batch = make_batch(slice, *samples, task, *make_cpu_device());

    CHECK(batch.inputs.sizes() == at::IntArrayRef({2, 8, 8}));
    CHECK(batch.inputs.scalar_type() == at::kFloat);
    CHECK(batch.inputs.min().item<float>() == 1.0F);
    CHECK(batch.targets.scalar_type() == at::kLong);
    CHECK(batch.targets[0].item<int>() == 3);
}

TEST_CASE("numbers come to the model as they are") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(write_numbers(sweep.folder / "numbers.h5", "train", 10));
    crescendo::datasets::Slice slice;
    slice.samples = {0, 1, 2};
    slice.inputs.resize(3 * samples->inputs().sample_bytes());
    slice.targets.resize(3 * samples->targets().sample_bytes());
    samples->read(0, 3, slice.inputs, slice.targets);

    const Batch batch = make_batch(slice, *samples, describe_task({}, *samples), *make_cpu_device());

    CHECK(batch.inputs[2][0].item<float>() == 2.0F);
    CHECK(batch.targets[2][1].item<float>() == -2.0F);
}

TEST_CASE("a task goes through JSON unchanged") {
    const SweepFixture sweep;
    for (const auto model : {ModelKind::cnn, ModelKind::autoencoder}) {
        const Task task = describe_task({.model = model}, *SampleSet::open(sweep.train));

        CHECK(nlohmann::json(task).get<Task>() == task);
    }
}
