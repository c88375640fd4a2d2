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

    const Task counted = describe_task(*samples, /*classes=*/0);

    CHECK(counted.kind == Task::Kind::classification);
    const std::vector<std::int64_t> image{8, 8};
    CHECK(counted.input_shape == image);
    CHECK(counted.num_outputs == 4);
    CHECK(counted.num_samples == 96);
    CHECK(describe_task(*samples, /*classes=*/10).num_outputs == 10);
}

TEST_CASE("targets of floating-point numbers make a regression") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(write_numbers(sweep.folder / "numbers.h5", "train", 10));

    const Task task = describe_task(*samples, 0);

    CHECK(task.kind == Task::Kind::regression);
    CHECK(task.num_outputs == 2);
}

TEST_CASE("bytes come to the model as numbers from 0 to 1, classes as int64") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(sweep.train);
    const Task task = describe_task(*samples, 0);
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

    const Batch batch = make_batch(slice, *samples, describe_task(*samples, 0), *make_cpu_device());

    CHECK(batch.inputs[2][0].item<float>() == 2.0F);
    CHECK(batch.targets[2][1].item<float>() == -2.0F);
}

TEST_CASE("a task goes through JSON unchanged") {
    const SweepFixture sweep;
    const Task task = describe_task(*SampleSet::open(sweep.train), 0);

    CHECK(nlohmann::json(task).get<Task>() == task);
}
