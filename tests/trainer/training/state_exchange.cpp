#include "trainer/training/state_exchange.hpp"

#include <ATen/ATen.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/tensors.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

const Task stepped_task{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 2, .num_samples = 8};

/// A trial that has trained alone for one step on noise with the given brightness.
std::unique_ptr<Trial> stepped_trial(const Settings& settings, const Device& device, double brightness = 1.0) {
    auto trial = std::make_unique<Trial>(/*number=*/3, /*seed=*/1, settings, stepped_task, device);
    trial->set_group(/*size=*/1, {});
    const Group alone(device);
    GradientReducer reducer(alone, trial->parameters());
    LoadedBatch loaded;
    loaded.slice.member_samples = {4};
    loaded.slice.samples = {0, 1, 2, 3};
    loaded.batch = {at::randn({4, 8, 8}) * brightness, at::zeros({4}, at::kLong)};
    trial->step(loaded, alone, reducer);
    return trial;
}

Join join() {
    Join join;
    join.trial = crescendo::TrialId{3};
    join.seed = 1;
    return join;
}

/// Shares the state of the first member with the others.
void exchange(auto& trials, const Settings& settings, const Device& device) {
    in_group(static_cast<int>(trials.size()), device, [&](const Group& group) {
        share_state(group, join(), settings, trials[static_cast<std::size_t>(group.rank())]);
    });
}

}  // namespace

TEST_CASE("a newcomer gets weights, buffers, averages, the optimizer's state and progress before its first step") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"batch_size", 4}, {"ema", 0.9}});
    std::array<std::unique_ptr<Trial>, 2> trials;
    trials[0] = stepped_trial(settings, *device);

    exchange(trials, settings, *device);

    REQUIRE(trials[1]);
    const auto given = trials[0]->named_tensors();
    const auto taken = trials[1]->named_tensors();
    REQUIRE(given.size() == taken.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        CHECK(given[i].name == taken[i].name);
        CHECK(at::equal(given[i].tensor, taken[i].tensor));
    }
    CHECK(trials[1]->buffers().back().item<std::int64_t>() == 1);  // the batches that BatchNorm has seen
    CHECK(same(copies(trials[1]->averages()), copies(trials[0]->averages())));
    CHECK(trials[1]->averages().size() == trials[1]->parameters().size() + 2);  // plus mean and variance
    const auto state = trials[0]->optimizer().state();
    REQUIRE(trials[1]->optimizer().state().size() == state.size());
    CHECK(at::equal(trials[1]->optimizer().state().front().tensor, state.front().tensor));
    CHECK(trials[1]->optimizer().num_steps() == 1);
    CHECK(trials[1]->progress().step == 1);
}

TEST_CASE("each survivor keeps its own sum of losses and its noise, and a newcomer starts at zero") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"batch_size", 4}});
    std::array<std::unique_ptr<Trial>, 3> trials{stepped_trial(settings, *device),
                                                 stepped_trial(settings, *device, /*brightness=*/2.0)};
    const double first = trials[0]->full_progress().loss_sum;
    const double second = trials[1]->full_progress().loss_sum;
    REQUIRE(first != second);
    const double noise = trials[1]->progress().noise_scale.noise();
    REQUIRE(noise != trials[0]->progress().noise_scale.noise());

    exchange(trials, settings, *device);

    CHECK(trials[0]->full_progress().loss_sum == first);
    CHECK(trials[1]->full_progress().loss_sum == second);
    CHECK(trials[1]->full_progress().loss_samples == 4);
    CHECK(trials[1]->progress().noise_scale.noise() == noise);
    CHECK(trials[2]->full_progress().loss_sum == 0);
}

TEST_CASE("a survivor's losses and noise that rank 0 has already reported do not count again") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"batch_size", 4}});
    std::array<std::unique_ptr<Trial>, 3> trials;
    for (auto& trial : trials) {
        trial = stepped_trial(settings, *device);
    }
    const double own = trials[1]->full_progress().loss_sum;
    trials[0]->progress().report = Report{.resource = 1, .metrics = {}, .seconds = 3};
    trials[1]->progress().report = trials[0]->progress().report;  // the third member missed the report
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        auto& noise_scale = trials[rank]->progress().noise_scale;
        noise_scale.add({.whole = 1.0, .samples = 8.0, .parts = GradientNorms::Parts{.mean = 2.0, .samples = 4.0}});
        noise_scale.set_noise(rank == 2 ? 5.0 : 3.0);  // the report's mean, or the third member's own measurement
    }

    exchange(trials, settings, *device);

    for (const auto& trial : trials) {
        CHECK(trial->progress().noise_scale.noise() == doctest::Approx(3.0));
    }
    CHECK(trials[1]->full_progress().loss_sum == own);
    CHECK(trials[2]->full_progress().loss_sum == 0);
    CHECK(trials[2]->full_progress().loss_samples == 0);
}

TEST_CASE("a survivor that made the same steps as rank 0 keeps its model") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"batch_size", 4}});
    at::manual_seed(1);
    auto source = stepped_trial(settings, *device);
    at::manual_seed(1);
    std::array<std::unique_ptr<Trial>, 3> trials{std::move(source), stepped_trial(settings, *device)};
    const Trial* survivor = trials[1].get();
    const at::Tensor weight = trials[1]->parameters().front();
    const at::Tensor before = weight.detach().clone();
    trials[0]->progress().seconds = 7;

    exchange(trials, settings, *device);

    CHECK(trials[1].get() == survivor);
    CHECK(at::equal(weight, before));
    CHECK(trials[1]->progress().seconds == 7);
    CHECK(at::equal(trials[2]->parameters().front(), before));
}

TEST_CASE("a survivor whose progress differs in anything gets rank 0's state in a new model") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"batch_size", 4}});
    const std::vector<std::function<void(Trial&)>> changes{
        [](Trial& trial) { ++trial.progress().step; },
        [](Trial& trial) { ++trial.progress().epoch; },
        [](Trial& trial) { ++trial.progress().position; },
        [](Trial& trial) { ++trial.progress().size; },
        [](Trial& trial) { trial.progress().report->resource = 2; },
        [](Trial& trial) { trial.progress().report->seconds = 7; },  // it made the report again, after its checkpoint
        [](Trial& trial) { trial.optimizer().reset(); }};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        CAPTURE(i);
        std::array<std::unique_ptr<Trial>, 2> trials{stepped_trial(settings, *device),
                                                     stepped_trial(settings, *device, /*brightness=*/2.0)};
        for (auto& trial : trials) {
            trial->progress().report = Report{.resource = 1, .metrics = {}, .seconds = 3};
        }
        changes[i](*trials[0]);
        const at::Tensor kept = trials[1]->parameters().front();
        const at::Tensor before = kept.detach().clone();

        exchange(trials, settings, *device);

        CHECK(at::equal(kept, before));
        CHECK(at::equal(trials[1]->parameters().front(), trials[0]->parameters().front()));
        CHECK(trials[1]->progress().step == trials[0]->progress().step);
    }
}

TEST_CASE("losing a peer before the state arrives leaves survivors unchanged and newcomers without a trial") {
    const auto device = make_cpu_device();
    const Settings settings = settings_of({{"model", "normed"}, {"batch_size", 4}});
    at::manual_seed(1);
    const auto source = stepped_trial(settings, *device);
    at::manual_seed(1);
    std::array<std::unique_ptr<Trial>, 3> trials{nullptr, stepped_trial(settings, *device)};
    const Trial* survivor = trials[1].get();
    const at::Tensor before = trials[1]->parameters().front().detach().clone();
    const nlohmann::json header{{"task", source->task()},
                                {"progress", source->full_progress()},
                                {"optimizer_steps", source->optimizer().num_steps()}};

    in_group(3, *device, [&](const Group& group) {
        if (group.rank() == 0) {
            group.broadcast(header.dump());
            return;  // the state never comes
        }
        CHECK_THROWS_AS(share_state(group, join(), settings, trials[static_cast<std::size_t>(group.rank())]), PeerLost);
    });

    CHECK(trials[1].get() == survivor);
    CHECK(at::equal(trials[1]->parameters().front(), before));
    CHECK(trials[1]->progress().step == 1);
    CHECK_FALSE(trials[2]);
}
