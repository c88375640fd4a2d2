#include "trainer/checkpoint/checkpoint_writer.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "core/files/durable_file.hpp"
#include "tests/await.hpp"
#include "tests/no_more_threads.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/settings_of.hpp"
#include "trainer/checkpoint/checkpoint.hpp"

using namespace crescendo::trainer;
using crescendo::tests::NoMoreThreads;
using crescendo::trainer::test::settings_of;

namespace {

Task task_of_four_numbers() {
    Task task;
    task.input_shape = {4};
    task.num_outputs = 2;
    task.num_samples = 4;
    return task;
}

struct SavedTrial {
    crescendo::tests::TemporaryFolder folder;
    std::filesystem::path path = folder / "checkpoint.pt";
    std::unique_ptr<Device> device = make_cpu_device();
    Settings settings = settings_of({{"model", "mlp"}, {"width", 8}});
    Trial trial{0, /*seed=*/1, settings, task_of_four_numbers(), *device};

    bool is_saved() const {
        const auto copy = read_checkpoint(path, 0, /*seed=*/2, settings, *device);
        return at::equal(copy->parameters().at(0), trial.parameters().at(0));
    }
};

}  // namespace

TEST_CASE("a checkpoint is on the disk once it is saved") {
    const SavedTrial saved;
    CheckpointWriter writer(saved.path, std::nullopt);

    writer.save(saved.trial, nlohmann::json::object());

    CHECK(saved.is_saved());
}

TEST_CASE("a checkpoint is saved in the calling thread if no thread can be created") {
    const SavedTrial saved;
    CheckpointWriter writer(saved.path, std::nullopt);
    {
        const NoMoreThreads no_threads;
        REQUIRE_THROWS_AS(std::thread([] {}).join(), std::system_error);

        writer.save(saved.trial, nlohmann::json::object());
    }

    CHECK(saved.is_saved());
}

TEST_CASE("training is told that writing a checkpoint in the background has failed") {
    const SavedTrial saved;
    CheckpointWriter writer(saved.folder / "gone/checkpoint.pt", /*every=*/std::chrono::seconds(-1));  // always due

    crescendo::tests::await("the error", [&] {
        try {
            writer.save_if_due(saved.trial, nlohmann::json::object());
            return false;
        } catch (const crescendo::WriteError&) {
            return true;
        }
    });
}

TEST_CASE("failing to write a checkpoint is an error even if no thread can be created") {
    const SavedTrial saved;
    CheckpointWriter writer(saved.folder / "gone/checkpoint.pt", std::nullopt);
    const NoMoreThreads no_threads;

    CHECK_THROWS_AS(writer.save(saved.trial, nlohmann::json::object()), crescendo::WriteError);
}
