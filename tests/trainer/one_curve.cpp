#include <ATen/ATen.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/tensors.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/layers/sync_batch_norm.hpp"
#include "trainer/models/model.hpp"
#include "trainer/training/state_exchange.hpp"
#include "trainer/training/trial.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_samples = 12;

using Json = nlohmann::json;
using Slices = std::vector<std::int64_t>;

/// Whether the loss in the settings is a regression loss.
bool compares_numbers(const Json& settings) {
    const std::string loss = settings.value("loss", "cross_entropy");
    return settings["model"] == "unet" || loss != "cross_entropy";
}

/// A task with images of 8 x 8, whose targets are classes or fields of the same size.
Task task_of(const Json& settings) {
    Task task{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 2, .num_samples = num_samples};
    task.class_weights = settings.value("class_weights", std::vector<double>{});
    if (compares_numbers(settings)) {
        task.kind = Task::Kind::regression;
        task.target_shape = {8, 8};
        task.num_outputs = 64;
        if (settings.contains("data")) {  // with latitudes
            task.row_weights = {0, 0.4, 0.8, 1.2, 1.6, 1.6, 1.4, 1};
        }
    }
    return task;
}

/// A member's slice of the samples of a step. Their noise is different in each step.
LoadedBatch slice_of_step(int step, const Task& task, const Slices& slices, std::size_t rank) {
    const auto generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(step));
    const at::Tensor targets = at::arange(num_samples).remainder(2);
    const at::Tensor inputs = at::randn({num_samples, 8, 8}, generator) + targets.view({-1, 1, 1});
    const bool classes = task.kind == Task::Kind::classification;
    LoadedBatch loaded;
    loaded.slice.member_samples = slices;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        begin += slices[i];
    }
    for (std::int64_t i = 0; i < slices[rank]; ++i) {
        loaded.slice.samples.push_back(begin + i);
    }
    if (slices[rank] > 0) {
        const auto of_member = [&](const at::Tensor& all) { return all.narrow(0, begin, slices[rank]).clone(); };
        const at::Tensor fields = inputs.flatten(1).roll(1, 1).sigmoid();
        loaded.batch = {of_member(inputs), of_member(classes ? targets : fields)};
    }
    return loaded;
}

/// The slices of a group in a step. They are unequal, and in some steps only the first member has samples.
Slices slices_of(int step, int size) {
    Slices slices(static_cast<std::size_t>(size), 0);
    const int num_present = step % 3 == 0 ? 1 : size;
    for (std::int64_t i = 0; i < num_samples; ++i) {
        const auto member = (i * i + step) % num_present;
        ++slices[static_cast<std::size_t>(member)];
    }
    return slices;
}

struct Learned {
    std::vector<NamedTensor> tensors;
    double loss = 0.0;  ///< the mean over the last ten steps
};

/// What the members have learned after `num_steps` steps, which are divided equally among groups of the given `sizes`.
/// At a regroup, joining members get the state from the first member.
std::vector<Learned> learned(const Json& section, const std::vector<int>& sizes, int num_steps = 40) {
    const auto device = make_cpu_device();
    const Settings settings = settings_of(section);
    const Task task = task_of(section);
    // The trials are not made in the members' threads, because these share the generator of initial weights.
    std::vector<std::unique_ptr<Trial>> trials;
    for (int rank = 0; rank < *std::max_element(sizes.begin(), sizes.end()); ++rank) {
        trials.push_back(std::make_unique<Trial>(/*number=*/0, /*seed=*/1, settings, task, *device));
    }
    Join join;
    join.seed = 1;
    std::vector<Learned> all(trials.size());
    const int steps_of_group = num_steps / static_cast<int>(std::ssize(sizes));
    int begin = 0;
    for (const int size : sizes) {
        in_group(size, *device, [&](const Group& group) {
            const auto rank = static_cast<std::size_t>(group.rank());
            if (begin > 0) {
                share_state(group, join, settings, trials[rank]);
            }
            Trial& trial = *trials[rank];
            trial.set_group(size, {});
            trial.set_length(num_steps);
            GradientReducer reducer(group, trial.learning_parameters());
            for (int step = begin; step < begin + steps_of_group; ++step) {
                if (step == num_steps - 10) {
                    trial.forget_losses();
                }
                trial.step(slice_of_step(step, task, slices_of(step, size), rank), group, reducer);
            }
            all[rank].loss = group.sum({trial.full_progress().loss_sum}).front() / (10 * num_samples);
        });
        begin += steps_of_group;
    }
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        for (const auto& tensors : {trials[rank]->named_tensors(), trials[rank]->averages()}) {
            for (const auto& each : tensors) {
                all[rank].tensors.push_back({each.name, each.tensor.detach().clone()});
            }
        }
    }
    return all;
}

/// The largest difference between two numbers, relative to the largest number of their tensor.
double largest_gap(const Learned& a, const Learned& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.tensors.size(); ++i) {
        const at::Tensor x = a.tensors[i].tensor.to(at::kDouble);
        const at::Tensor y = b.tensors[i].tensor.to(at::kDouble);
        const double scale = std::max(1e-2, x.abs().max().item<double>());
        most = std::max(most, (x - y).abs().max().item<double>() / scale);
    }
    return most;
}

Json with_norm(Json settings, const std::string& norm) {
    settings.update({{"norm", norm}, {"batch_size", num_samples}});
    return settings;
}

/// The activation and the rate are tame. With relu and a rate of 0.01, a difference in the last bit doubles in every
/// step of such a small resnet.
const std::vector<Json>& normed_networks() {
    static const std::vector<Json> all{
        {{"model", "resnet18"}, {"width", 4}, {"activation", "tanh"}, {"lr", 0.001}, {"dropout", 0.2}},
        {{"model", "unet"}, {"width", 4}, {"depth", 1}, {"lr", 0.01}, {"dropout", 0.2}, {"sam", 0.05}}};
    return all;
}

}  // namespace

TEST_CASE("groups of any size with sync_batch learn the same in thirty steps as one worker with batch") {
    const auto learned_with = [](const Json& settings, const std::string& norm, int size) {
        return learned(with_norm(settings, norm), {size}, /*num_steps=*/30);  // each norm exchanges in each step
    };
    for (const Json& settings : normed_networks()) {
        CAPTURE(settings["model"].get<std::string>());
        const Learned one = learned_with(settings, "batch", 1).front();

        for (const int size : {2, 4}) {
            CAPTURE(size);
            const auto members = learned_with(settings, "sync_batch", size);
            for (const auto& member : members) {
                CAPTURE(largest_gap(one, member));
                CHECK(largest_gap(one, member) < 1e-4);
                CHECK(member.loss == doctest::Approx(one.loss).epsilon(1e-4));
                CHECK(largest_gap(members.front(), member) == 0.0);
            }
        }
        CHECK(largest_gap(one, learned_with(settings, "batch", 2).front()) > 1e-2);  // the check can fail
    }
}

TEST_CASE("with every option a regrouped trial matches one worker to five digits") {
    const std::vector<Json> options{
        Json::object(),
        {{"lr_schedule", "step"}, {"lr_step", 12}},
        {{"lr_schedule", "cosine"}},
        {{"lr_schedule", "one_cycle"}},
        {{"lr_schedule", "linear"}, {"lr_last", 0.1}},
        {{"lr_schedule", "polynomial"}},
        {{"warmup", 16}},
        {{"clip_norm", 0.1}},
        {{"lr_factors", {{"conv1", 0}, {"output", 3}}}},
        {{"clip_value", 0.01}},
        {{"ema", 0.95}},
        {{"sam", 0.05}},
        {{"flip", "both"}, {"crop_padding", 2}, {"cutout", 3}},
        {{"input_noise", 0.5}},
        {{"dropout", 0.3}},
        {{"init", "kaiming"}},
        {{"label_smoothing", 0.1}},
        {{"class_weights", {1.0, 3.0}}},
        {{"loss", "mse"}},
        {{"loss", "mae"}},
        {{"loss", "huber"}, {"huber_delta", 0.5}},
        {{"loss", "bce"}},
        {{"loss", "relative_l2"}},
        {{"loss", "mse"}, {"data", {{"train", "era5.nc:/"}, {"latitude", "latitude"}}}},
    };
    std::vector<Learned> curves;
    for (const Json& option : options) {
        CAPTURE(option.dump());
        Json settings{{"model", "cnn"},
                      {"width", 4},
                      {"depth", 1},
                      {"activation", "tanh"},
                      {"lr", 0.05},
                      {"batch_size", num_samples},
                      {"report", {{"unit", "steps"}}}};
        settings.update(option);
        const Learned one = learned(settings, {1}).front();

        const Learned regrouped = learned(settings, {1, 2, 4, 2}).front();

        CAPTURE(largest_gap(one, regrouped));
        CHECK(largest_gap(one, regrouped) < 1e-5);
        CHECK(regrouped.loss == doctest::Approx(one.loss).epsilon(1e-5));
        // Each option has an effect. Other losses have more outputs, and an average adds tensors.
        if (!curves.empty() && curves.front().tensors.size() == one.tensors.size() && !compares_numbers(settings)) {
            CAPTURE(largest_gap(one, curves.front()));
            CHECK(largest_gap(one, curves.front()) > 1e-3);
        }
        curves.push_back(one);
    }
}

TEST_CASE("members with different slices run their norms equally often") {
    // Slices of 9 and 3 in micro-batches of at most 4 take three rounds. The second member has one sample in each
    // round.
    Json settings = with_norm(normed_networks().front(), "sync_batch");
    settings["batch_size"] = 4;
    const auto device = make_cpu_device();
    const Task task = task_of(settings);
    std::vector<std::unique_ptr<Trial>> trials;
    for (int rank = 0; rank < 2; ++rank) {
        trials.push_back(std::make_unique<Trial>(/*number=*/0, /*seed=*/1, settings_of(settings), task, *device));
        trials.back()->set_group(2, {.multiple = 3});
    }

    in_group(2, *device, [&](const Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        GradientReducer reducer(group, trials[rank]->parameters());
        for (const Slices& slices : {Slices{9, 3}, Slices{0, 12}, Slices{11, 1}}) {
            trials[rank]->step(slice_of_step(0, task, slices, rank), group, reducer);
        }
    });

    CHECK(trials[0]->buffers().back().item<std::int64_t>() == 9);
    CHECK(same(copies(trials[0]->named_tensors()), copies(trials[1]->named_tensors())));
}

TEST_CASE("losing a peer in the forward or backward pass of synchronised norms fails the step without any change") {
    const Json settings = with_norm(normed_networks().front(), "sync_batch");
    const auto device = make_cpu_device();
    const Task task = task_of(settings);
    const Slices slices{6, 6};
    for (const bool in_backward : {false, true}) {
        CAPTURE(in_backward);
        Trial survivor(/*number=*/0, /*seed=*/1, settings_of(settings), task, *device);
        Trial peer(/*number=*/0, /*seed=*/1, settings_of(settings), task, *device);
        for (Trial* trial : {&survivor, &peer}) {
            trial->set_group(2, {});
        }
        const auto before = copies(survivor.named_tensors());
        bool lost = false;

        in_group(2, *device, [&](const Group& group) {
            if (group.rank() == 0) {
                GradientReducer reducer(group, survivor.parameters());
                try {
                    survivor.step(slice_of_step(0, task, slices, 0), group, reducer);
                } catch (const PeerLost&) {
                    lost = true;
                }
                return;
            }
            GradientReducer reducer(group, peer.parameters());  // its constructor compares the members' parameters
            group.broadcast(peer.buffers());
            if (in_backward) {
                const auto norms = synchronized_norms(peer.model());
                const NormsInGroup joined(norms, [&](at::Tensor& numbers) { group.sum(numbers); });
                peer.model().forward(slice_of_step(0, task, slices, 1).batch.inputs);
            }
        });

        CHECK(lost);
        CHECK(survivor.progress().step == 0);
        CHECK(same(copies(survivor.named_tensors()), before));
        const Group alone(*device);
        GradientReducer reducer(alone, survivor.parameters());
        survivor.set_group(1, {});
        survivor.step(slice_of_step(0, task, {num_samples}, 0), alone, reducer);
        CHECK(survivor.progress().step == 1);
    }
}
