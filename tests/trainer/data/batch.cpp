#include "trainer/data/batch.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

using namespace crescendo::trainer;
namespace datasets = crescendo::datasets;

TEST_CASE("an unknown class is rejected before it reaches the device") {
    const auto device = make_cpu_device();
    const Task task{.input_shape = {2}, .target_shape = {}, .num_outputs = 4, .num_samples = 96};
    const auto targets_of = [&](const std::vector<std::int64_t>& classes) {
        datasets::Slice slice;
        slice.samples = {17, 5};
        slice.targets = datasets::Bytes(classes.size() * sizeof classes[0], std::pmr::new_delete_resource());
        std::memcpy(slice.targets.data(), classes.data(), slice.targets.size());
        return make_targets(slice, {}, task, *device);
    };

    CHECK(at::equal(targets_of({3, 0}), at::tensor({3, 0}, at::kLong)));
    CHECK_THROWS_WITH_AS(
        targets_of({3, 4}),
        "sample 5 has the class 4, but the model only knows the classes 0 to 3; the data have changed, or "
        "trainer.classes is too small",
        std::runtime_error);
    CHECK_THROWS_AS(targets_of({-1, 0}), std::runtime_error);
}

TEST_CASE("a target outside 0 to 1 fails the step if the loss is unbounded there") {
    const auto device = make_cpu_device();
    Task task{.kind = Task::Kind::regression,
              .input_shape = {2},
              .target_shape = {2},
              .num_outputs = 2,
              .num_samples = 96,
              .wants_shares = true};
    const auto batch_of = [&](const std::vector<float>& numbers) {
        datasets::Slice slice;
        slice.samples = {17, 5};
        for (auto* bytes : {&slice.inputs, &slice.targets}) {
            *bytes = datasets::Bytes(numbers.size() * sizeof numbers[0], std::pmr::new_delete_resource());
            std::memcpy(bytes->data(), numbers.data(), bytes->size());
        }
        return make_batch(slice, task, *device);
    };

    CHECK(batch_of({0, 1, 0.25, 0.5}).targets.equal(at::tensor({0., 1., 0.25, 0.5}, at::kFloat).view({2, 2})));
    CHECK_THROWS_WITH_AS(batch_of({0, 1, 1.5, 0.5}),
                         "trainer.loss: sample 5 has the target 1.5, but bce needs numbers from 0 to 1; scale them "
                         "with data.normalize: {NAME: {scale, offset}}, or use mse",
                         std::runtime_error);
    CHECK_THROWS_AS(batch_of({0, -0.5, 1, 1}), std::runtime_error);
    task.kind = Task::Kind::reconstruction;
    CHECK_THROWS_WITH_AS(batch_of({0, 1, 2, 0}),
                         "trainer.loss: sample 5 has the input 2, but bce needs numbers from 0 to 1; scale them with "
                         "data.normalize: {NAME: {scale, offset}}, or use mse",
                         std::runtime_error);
    task.wants_shares = false;
    CHECK_NOTHROW(batch_of({0, -0.5, 2, 1}));
}
