#include "trainer/data/batch_loader.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/training/trial.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
namespace datasets = crescendo::datasets;

namespace {

/// Counts the blocks that are allocated.
class CountedMemory : public std::pmr::memory_resource {
  public:
    int given = 0;
    int out = 0;

  private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++given;
        ++out;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
        --out;
        std::pmr::new_delete_resource()->deallocate(place, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Has its own memory, like a GPU, or uses the host's. Is busy for as long as the test says so.
class TestDevice : public Device {
  public:
    explicit TestDevice(bool own_memory) : own_memory_(own_memory) {}

    mutable CountedMemory staging;
    mutable int uploads = 0;
    bool at_work = false;

    at::Device place() const override { return at::kCPU; }
    std::pmr::memory_resource& staging_memory() const override { return staging; }
    at::Tensor upload(const at::Tensor& host) const override {
        ++uploads;
        return own_memory_ ? host.clone() : host;
    }
    bool idle() const override { return !at_work; }
    void give_back_memory() const override {}
    c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>&, int, int,
                                                              const Patience&) const override {
        throw std::logic_error("a group of one needs no process group");
    }
    bool finish(c10d::ProcessGroup&, const std::function<bool()>&) const override { return true; }
    void dissolve(c10d::ProcessGroup&) const override {}

  private:
    bool own_memory_;
};

/// Loads 96 samples in order, four per step.
struct Loading {
    SweepFixture sweep;
    TestDevice device;
    DataCache data;
    Settings settings = in_order(sweep.train);
    datasets::SampleStream& stream = data.training(settings.data);
    Task task = describe_task(settings, data);
    BatchLoader batches{stream, task, device};

    explicit Loading(bool own_memory = true) : device(own_memory) { batches.enter({.group_batch = 4}); }

    static Settings in_order(const std::string& train) {
        auto section = small_cnn(train);
        section["data"]["shuffle"] = "none";
        return settings_of(section);
    }
};

}  // namespace

TEST_CASE("a prefetched batch is already on the device when it is requested") {
    Loading loading;

    const auto first = loading.batches.next();
    loading.batches.fetch();
    const int uploads = loading.device.uploads;
    const auto second = loading.batches.next();

    CHECK(uploads == 4);  // inputs and targets of two batches
    CHECK(loading.device.uploads == 4);
    CHECK(first->slice.samples == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(second->slice.samples == std::vector<std::int64_t>{4, 5, 6, 7});
    CHECK(second->batch.inputs.size(0) == 4);
    CHECK_FALSE(at::equal(first->batch.inputs, second->batch.inputs));
}

TEST_CASE("samples are assembled in the device's staging memory, which is released after the upload") {
    Loading loading;

    const auto batch = loading.batches.next();

    CHECK(loading.device.staging.given == 2);
    CHECK(loading.device.staging.out == 0);
}

TEST_CASE("if the device computes in host memory, a batch keeps its staging memory without a copy") {
    Loading loading(/*own_memory=*/false);

    auto batch = loading.batches.next();
    CHECK(loading.device.staging.given == 2);
    CHECK(loading.device.staging.out == 2);

    batch.reset();
    CHECK(loading.device.staging.out == 0);
}

TEST_CASE("an epoch also ends if its end was prefetched") {
    Loading loading;
    std::int64_t samples = 0;

    while (const auto batch = loading.batches.next()) {
        samples += batch->batch.inputs.size(0);
        loading.batches.fetch();
    }

    CHECK(samples == SweepFixture::num_samples);
    CHECK_FALSE(loading.batches.next().has_value());
}

TEST_CASE("a batch prefetched for one group is dropped when another takes over") {
    Loading loading;
    const auto first = loading.batches.next();
    loading.batches.fetch();

    loading.batches.enter({.position = 4, .group_batch = 8, .rank = 1, .size = 2});

    const auto second = loading.batches.next();  // positions 4 to 11; rank 1 has every second one
    CHECK(second->slice.samples == std::vector<std::int64_t>{5, 7, 9, 11});
    CHECK(second->slice.group_samples() == 8);
}

TEST_CASE("a device that is still busy when samples arrive has not waited for them") {
    Loading loading;

    loading.device.at_work = true;
    const auto first = loading.batches.next();
    CHECK(loading.batches.take_waited().count() == 0.0);

    loading.device.at_work = false;
    const auto second = loading.batches.next();
    CHECK(loading.batches.take_waited().count() > 0.0);
    CHECK(loading.batches.take_waited().count() == 0.0);
}

TEST_CASE("the next batch is fetched before the weights change, so an error while fetching leaves them unchanged") {
    Loading loading;
    Trial trial(/*number=*/0, /*seed=*/1, loading.settings, loading.task, loading.device);
    trial.set_group(/*size=*/1, {});
    const Group group(loading.device);
    GradientReducer reducer(group, trial.parameters());
    const auto loaded = loading.batches.next();
    const at::Tensor weights = trial.parameters().front();
    const at::Tensor before = weights.detach().clone();
    const auto disk_fails = [] { throw std::runtime_error("the disk is gone"); };

    CHECK_THROWS_WITH(trial.step(*loaded, group, reducer, disk_fails), "the disk is gone");
    CHECK(at::equal(weights, before));
    CHECK(trial.progress().step == 0);

    trial.step(*loaded, group, reducer, [&] { CHECK(at::equal(weights, before)); });
    CHECK_FALSE(at::equal(weights, before));
    CHECK(trial.progress().step == 1);
}
