#include <ATen/ATen.h>

#include <cmath>
#include <filesystem>

#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/same_members.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/tensors.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/data/batch.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

Terms normed_terms(const SweepFixture& sweep, const std::string& name) {
    Terms terms = sweep.terms(name);
    terms.settings["model"] = "normed";
    terms.max_resource = 1;
    terms.checkpoint_at = 1;
    std::filesystem::create_directory(terms.directory);
    return terms;
}

/// The mean loss of the trial's network over all validation samples in a single batch.
double validation_loss(Trial& trial, const std::string& location) {
    DataCache data;
    auto& stream = data.evaluation(location, trial.settings().data);
    stream.enter({.group_batch = 20});
    auto slice = stream.next();
    const Batch batch = make_batch(*slice, trial.task(), trial.device());
    return loss_sum({}, trial.task(), {}, trial.model().forward(batch.inputs), batch.targets).item<double>() / 20;
}

}  // namespace

TEST_CASE("all members evaluate with rank 0's buffers and their averages, and agree on the noise") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", sweep.recording());
    Terms terms = normed_terms(sweep, "trial");
    Terms elsewhere = normed_terms(sweep, "elsewhere");
    terms.settings["ema"] = elsewhere.settings["ema"] = 0.9;
    const auto device = make_cpu_device();
    const auto averages = [&](const Terms& of) {
        const auto trial =
            read_checkpoint(of.directory / "checkpoint.pt", 0, /*seed=*/1, settings_of(of.settings), *device);
        return copies(trial->averages());
    };

    crescendo.train({0, 1}, "new", terms, 1);
    CHECK(crescendo.leave({0}, /*save=*/true));
    crescendo.join({1}, "memory", elsewhere);
    CHECK(crescendo.leave({1}, /*save=*/true));

    const auto one = load(terms.directory / "checkpoint.pt");
    const auto other = load(elsewhere.directory / "checkpoint.pt");
    CHECK(same_bits(one.model, other.model));
    CHECK(same(averages(terms), averages(elsewhere)));
    CHECK(one.progress["noise_scale"] == other.progress["noise_scale"]);  // the mean of what both measured
}

TEST_CASE("a mid-epoch regroup with the same members leaves a model with buffers bit-identical") {
    const SweepFixture sweep;

    check_regroup_to_same_members(sweep, {0, 1, 2}, {{"model", "normed"}});
}

TEST_CASE("the checkpoint preserves a model's buffers after its trainers have exited") {
    const SweepFixture sweep;
    const Terms terms = normed_terms(sweep, "trial");
    const auto checkpoint = terms.directory / "checkpoint.pt";
    FakeCrescendo(1, "recording-trainer", sweep.recording()).train({0}, "new", terms, 1);
    const auto before = load(checkpoint);

    FakeCrescendo crescendo(1, "recording-trainer", sweep.recording());
    crescendo.join({0}, "checkpoint", terms);
    crescendo.await(0, "report");
    CHECK(crescendo.leave({0}, /*save=*/true));

    const auto after = load(checkpoint);
    CHECK(before.model.contains("norm.running_var"));
    CHECK(same_bits(before.model, after.model));
    CHECK((after.model.at("norm.num_batches_tracked").scalar_type() == at::kLong));
}

TEST_CASE("evaluation uses the running statistics from training without updating them") {
    const SweepFixture sweep;
    const Terms terms = normed_terms(sweep, "trial");
    FakeCrescendo crescendo(1, "recording-trainer", sweep.recording());
    const double reported = crescendo.train({0}, "new", terms, 1)["metrics"]["val_loss"];

    const auto device = make_cpu_device();
    const auto trial = read_checkpoint(terms.directory / "checkpoint.pt", 0, 1, settings_of(terms.settings), *device);
    const auto tracked = trial->buffers().back().item<std::int64_t>();
    trial->model().eval();
    const double with_running_statistics = validation_loss(*trial, sweep.validation);
    trial->model().train();
    const double with_those_of_the_batch = validation_loss(*trial, sweep.validation);

    CHECK(reported == doctest::Approx(with_running_statistics).epsilon(1e-6));
    CHECK(std::abs(reported - with_those_of_the_batch) > 1e-3);
    CHECK(tracked == 12);  // the training steps, but no evaluation batches
}
