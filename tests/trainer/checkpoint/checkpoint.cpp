#include "trainer/checkpoint/checkpoint.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/num_reads.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/settings_of.hpp"

using namespace crescendo::trainer;
using crescendo::tests::num_reads;
using crescendo::trainer::test::settings_of;

TEST_CASE("a checkpoint is read in as many pieces as it has tensors, not a few bytes at a time") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"width", 1024}});
    Task task;
    task.input_shape = {16};
    task.num_outputs = 2;
    task.num_samples = 4;
    const Trial trial(0, /*seed=*/1, settings, task, *device);
    write_checkpoint(folder / "checkpoint.pt", checkpoint_of(trial, nlohmann::json::object()));
    CHECK(std::filesystem::file_size(folder / "checkpoint.pt") > 4 << 20);  // 1,024 x 1,024 weights

    const auto before = num_reads();
    const auto copy = read_checkpoint(folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device);

    CHECK(num_reads() - before < 100);
    CHECK(at::equal(copy->parameters().at(2), trial.parameters().at(2)));
}
