#include "trainer/data/batch.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

using namespace crescendo::trainer;
namespace datasets = crescendo::datasets;

TEST_CASE("a class that the model does not know is found before the device sees it") {
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
    CHECK_THROWS_WITH_AS(targets_of({3, 4}),
                         "sample 5 is of class 4, but the model knows the classes 0 to 3; the data have changed, or "
                         "trainer.classes is too small",
                         std::runtime_error);
    CHECK_THROWS_AS(targets_of({-1, 0}), std::runtime_error);
}
