#include "trainer/checkpoint/checkpoint.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <nlohmann/json.hpp>

#include "tests/num_reads.hpp"
#include "tests/peak_memory.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "trainer/protocol/failure.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using crescendo::tests::num_reads;
using crescendo::tests::peak_memory;
using crescendo::trainer::test::content;
using crescendo::trainer::test::settings_of;

namespace {

Task tiny_task() {
    Task task;
    task.input_shape = {16};
    task.num_outputs = 2;
    task.num_samples = 4;
    return task;
}

/// While it lives, this process gets 16 MiB of memory at most.
class LittleMemory {
  public:
    LittleMemory() {
        std::int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        REQUIRE(::getrlimit(RLIMIT_AS, &before_) == 0);
        const rlimit little{static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + (16 << 20)), before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_AS, &little) == 0);
    }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;
    ~LittleMemory() { ::setrlimit(RLIMIT_AS, &before_); }

  private:
    rlimit before_{};
};

/// A model that does not fit into memory.
struct TooLarge : ModelSpec {
    std::shared_ptr<Model> make(const Task&) const override { throw std::bad_alloc(); }
};

}  // namespace

TEST_CASE("a checkpoint is read tensor by tensor, not a few bytes at a time") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"width", 1024}});
    const Trial trial(0, /*seed=*/1, settings, tiny_task(), *device);
    write_checkpoint(folder / "checkpoint.pt", checkpoint_of(trial, nlohmann::json::object()));
    CHECK(std::filesystem::file_size(folder / "checkpoint.pt") > 4 << 20);  // 1,024 x 1,024 weights

    const auto before = num_reads();
    const auto copy = read_checkpoint(folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device);

    CHECK(num_reads() - before < 100);
    CHECK(at::equal(copy->parameters().at(2), trial.parameters().at(2)));
}

TEST_CASE("a truncated or altered checkpoint is reported as damaged and never yields different weights") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"width", 32}});
    const Trial trial(0, /*seed=*/1, settings, tiny_task(), *device);
    const auto path = folder / "checkpoint.pt";
    write_checkpoint(path, checkpoint_of(trial, nlohmann::json::object()));
    const auto intact = content(path);
    const auto is_read = [&](const std::string& content) {
        std::ofstream(path, std::ios::binary) << content;
        try {
            const auto copy = read_checkpoint(path, 0, /*seed=*/2, settings, *device);
            for (std::size_t i = 0; i < trial.parameters().size(); ++i) {
                REQUIRE(at::equal(copy->parameters().at(i), trial.parameters().at(i)));
            }
            return true;
        } catch (const DamagedCheckpoint& error) {
            REQUIRE(std::string(error.what()).find("is damaged: ") != std::string::npos);
            return false;
        }
    };

    CHECK(is_read(intact));
    CHECK_FALSE(is_read(""));
    CHECK_FALSE(is_read(intact.substr(0, intact.size() / 2)));
    CHECK_FALSE(is_read(intact.substr(0, intact.size() - 1)));
    int num_read = 0;
    constexpr int num_places = 199;
    for (int i = 0; i < num_places; ++i) {
        auto changed = intact;
        changed[changed.size() * static_cast<std::size_t>(i) / num_places] ^= 0x55;
        num_read += is_read(changed);  // bytes between the records do not matter
    }
    CHECK(num_read < num_places / 2);
}

TEST_CASE("a damaged length in a checkpoint takes no memory") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"width", 8}});
    const Trial trial(0, /*seed=*/1, settings, tiny_task(), *device);
    const auto path = folder / "checkpoint.pt";
    write_checkpoint(path, checkpoint_of(trial, nlohmann::json::object()));
    auto bytes = content(path);
    const std::string key("X\x08\0\0\0settings", 13);  // a text of 8 bytes in the pickle
    REQUIRE(bytes.find(key) != std::string::npos);
    bytes[bytes.find(key) + 4] = 0x70;  // now of 1.8 GB
    std::ofstream(path, std::ios::binary) << bytes;

    crescendo::tests::forget_peak_memory();
    const auto before = peak_memory();
    CHECK_THROWS_AS(read_checkpoint(path, 0, /*seed=*/2, settings, *device), DamagedCheckpoint);

    CHECK(peak_memory() - before < 100 << 20);
}

TEST_CASE("a checkpoint that the disk cannot read is not reported as damaged") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const auto path = folder / "checkpoint.pt";
    std::filesystem::create_symlink("/proc/self/mem", path);  // reading its beginning is an I/O error

    try {
        read_checkpoint(path, 0, /*seed=*/2, settings_of({{"model", "mlp"}}), *device);
        FAIL("it is read");
    } catch (const DamagedCheckpoint& error) {
        FAIL(error.what());
    } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()) == "cannot use the checkpoint " + path.string() + ": Input/output error");
    }
}

TEST_CASE("out of memory while a checkpoint is read is reported as such") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    Settings settings = settings_of({{"model", "mlp"}, {"width", 8}});
    const Trial trial(0, /*seed=*/1, settings, tiny_task(), *device);
    write_checkpoint(folder / "checkpoint.pt", checkpoint_of(trial, nlohmann::json::object()));
    settings.model = std::make_shared<TooLarge>();

    CHECK_THROWS_AS(read_checkpoint(folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device), std::bad_alloc);
}

TEST_CASE("a checkpoint stores the averages of buffers, which start from the buffers if an older version wrote none") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"ema", 0.9}});
    Task task = tiny_task();
    task.input_shape = {8, 8};
    const Trial trial(0, /*seed=*/1, settings, task, *device);
    at::Tensor(trial.averages().back().tensor).fill_(3);  // of norm.running_var
    at::Tensor(trial.buffers().at(1)).fill_(2);
    const auto average_read = [&](const c10::IValue& checkpoint) {
        write_checkpoint(folder / "checkpoint.pt", checkpoint);
        return read_checkpoint(folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device)->averages().back().tensor;
    };
    const auto checkpoint = checkpoint_of(trial, nlohmann::json::object());

    CHECK(trial.averages().back().name == "norm.running_var");
    CHECK(at::equal(average_read(checkpoint), at::full({4}, 3.0)));
    REQUIRE(checkpoint.toGenericDict().at("ema").toGenericDict().erase("norm.running_var") == 1);
    CHECK(at::equal(average_read(checkpoint), at::full({4}, 2.0)));
}

TEST_CASE("writing a checkpoint copies no tensors, and reading it needs only one copy of them") {
    const crescendo::tests::TemporaryFolder folder;
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "mlp"}, {"width", 4096}});
    const auto memory_of = [](const auto& work) {
        crescendo::tests::forget_peak_memory();
        const auto before = peak_memory();
        work();
        return peak_memory() - before;
    };
    const Trial trial(0, /*seed=*/1, settings, tiny_task(), *device);
    const auto checkpoint = checkpoint_of(trial, nlohmann::json::object());
    std::unique_ptr<Trial> copy;

    const auto written = memory_of([&] { write_checkpoint(folder / "checkpoint.pt", checkpoint); });
    const auto read =
        memory_of([&] { copy = read_checkpoint(folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device); });

    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(folder / "checkpoint.pt"));
    CHECK(bytes > 64 << 20);  // 4,096 x 4,096 weights
    CHECK(written < bytes / 4);
    CHECK(read < bytes * 9 / 4);  // the tensors that were read, plus the trial

    copy.reset();
    const LittleMemory little;
    try {
        read_checkpoint(folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device);
        FAIL("it is read");
    } catch (const DamagedCheckpoint& error) {
        FAIL(error.what());
    } catch (const std::exception&) {
        CHECK(is_out_of_memory(describe_failure()));
    }
}
