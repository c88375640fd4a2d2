#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/gate.hpp"
#include "tests/trainer/record.hpp"
#include "tests/trainer/same_members.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/test_device.hpp"
#include "trainer/optimizers/optimizers.hpp"

using namespace crescendo::trainer::test;

namespace {

/// Settings of the models without BatchNorm, whose workers share a batch with the same result as one worker.
std::vector<Json> small_models(const SweepFixture& sweep) {
    std::vector<Json> all{small_cnn(sweep.train, sweep.validation), small_autoencoder(sweep.train, sweep.validation)};
    for (const char* model : {"mlp", "vit", "transformer", "lstm", "gru"}) {
        all.push_back(small_cnn(sweep.train, sweep.validation));
        all.back().update({{"model", model}, {"width", 4}, {"depth", 1}, {"heads", 2}});
    }
    return all;
}

}  // namespace

TEST_CASE("regrouping to the same size leaves a trial bit-identical, whatever its model and optimizer") {
    const SweepFixture sweep;
    const std::vector<int> members{0, 1, 2};  // with three members, sums depend on the order of additions in the ring
    FakeCrescendo crescendo(3, "crescendo-trainer");
    const auto models = small_models(sweep);
    const auto optimizers = crescendo::trainer::optimizers();
    const std::vector<std::string> schedules{"constant", "step", "cosine", "one_cycle", "linear", "polynomial"};
    for (std::size_t i = 0; i < optimizers.size(); ++i) {  // there are fewer models and schedules
        const std::string name = optimizers[i].name;
        CAPTURE(name);
        Terms undisturbed = sweep.terms(name + "-undisturbed");
        Terms regrouped = sweep.terms(name + "-regrouped");
        for (Terms* terms : {&undisturbed, &regrouped}) {
            terms->settings = models[i % models.size()];
            terms->settings.update({{"optimizer", name},
                                    {"lr_schedule", schedules[i % schedules.size()]},
                                    {"dropout", 0.2},
                                    {"precision", i == 0 ? "fp16" : i % 3 == 1 ? "bf16" : "float32"},
                                    {"ema", i % 2 == 0 ? 0.9 : 0.0}});
            terms->batch_multiple = 3;
            terms->checkpoint_at = 3;
            terms->max_resource = 4;
        }

        crescendo.train(members, "new", undisturbed, 3);
        crescendo.leave(members, /*save=*/false);
        crescendo.train(members, "new", regrouped, 1);
        crescendo.train(members, "memory", regrouped, 2);
        crescendo.train(members, "memory", regrouped, 3);
        crescendo.leave(members, /*save=*/false);

        CHECK(same_state(load(undisturbed.directory / "checkpoint.pt"), load(regrouped.directory / "checkpoint.pt")));
    }
}

TEST_CASE("regrouping over NCCL in mid-epoch leaves a trial bit-identical") {
    const SweepFixture sweep;

    check_regroup_to_same_members<OverNccl>(sweep, {0, 1, 2}, {{"batch_size", 4}});  // eight steps of 12 samples
}

TEST_CASE("workers that were an NCCL group before reuse their communicator") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", OverNccl::recording(sweep));
    const Terms terms = sweep.terms("trial");

    crescendo.train({0, 1}, "new", terms, 1);
    crescendo.train({0}, "memory", terms, 2);
    OverNccl::await_member(sweep);
    crescendo.train({0, 1}, "memory", terms, 3);
    OverNccl::await_member(sweep);
    crescendo.leave({0, 1}, /*save=*/false);
    Terms next = sweep.terms("next");
    next.trial = 1;
    crescendo.train({0, 1}, "new", next, 1);

    CHECK(content(sweep.folder / "formed") == "done\ndone\n");  // once by each worker
}

TEST_CASE("a group that grows from one to two to four sees every sample once in every epoch") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(4, "recording-trainer", sweep.recording());
    Terms terms = sweep.terms("trial");

    crescendo.train({0}, "new", terms, 1);
    terms.batch_multiple = 2;
    crescendo.train({0, 1}, "memory", terms, 2);
    terms.batch_multiple = 4;
    crescendo.train({0, 1, 2, 3}, "memory", terms, 3);

    const auto by_epoch = samples_by_epoch(sweep.record());
    CHECK(by_epoch.size() == 3);
    for (const auto& [epoch, samples] : by_epoch) CHECK(samples == each_once(sweep.num_samples));
}

TEST_CASE("a regroup in mid-epoch reassigns slices without losing or repeating a sample") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(3, "recording-trainer", sweep.recording(/*gate_step=*/4));
    Terms terms = sweep.terms("trial");
    train_up_to_gate(crescendo, sweep, {0, 1}, terms, /*gate_step=*/4);

    terms.batch_multiple = 3;
    crescendo.join({0, 1, 2}, "memory", terms);
    sweep.open_gate();
    const Json report = crescendo.await(0, "report");

    CHECK(report["resource"] == 1);
    CHECK(report["generation"] == 2);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(sweep.num_samples));
}

TEST_CASE("a group that grows keeps its momentum and learns the same as one worker with the larger batch") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    for (const char* optimizer : {"sgd", "adamw"}) {
        CAPTURE(optimizer);
        const auto trained = [&](const std::vector<int>& members, const std::string& state_at_regroup) {
            Terms terms = sweep.terms(optimizer + std::to_string(members.size()) + state_at_regroup);
            terms.settings["optimizer"] = optimizer;
            terms.settings["optimizer_state"] = state_at_regroup;
            terms.checkpoint_at = 2;
            crescendo.train({0}, "new", terms, 1);
            terms.batch_multiple = 2;
            crescendo.train(members, "memory", terms, 2);
            crescendo.leave(members, /*save=*/false);
            return load(terms.directory / "checkpoint.pt").model;
        };

        const auto one_worker = trained({0}, "keep");

        CHECK(largest_difference(trained({0, 1}, "keep"), one_worker) < tolerance());
        CHECK(largest_difference(trained({0, 1}, "reset"), one_worker) > 1e-3);  // the comparison can fail
    }
}

TEST_CASE("a joining member gets a bit-identical state") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    for (const auto& [optimizer, read] : crescendo::trainer::optimizers()) {
        CAPTURE(optimizer);
        Terms terms = sweep.terms(optimizer);
        terms.settings["optimizer"] = optimizer;
        terms.max_resource = 2;
        Terms elsewhere = terms;
        elsewhere.directory = sweep.folder / (std::string(optimizer) + "-elsewhere");
        std::filesystem::create_directory(elsewhere.directory);

        crescendo.train({0}, "new", terms, 1);
        crescendo.train({0, 1}, "memory", terms, 2);
        CHECK(crescendo.leave({0}, /*save=*/true));
        crescendo.join({1}, "memory", elsewhere);
        CHECK(crescendo.leave({1}, /*save=*/true));

        const auto giver = load(terms.directory / "checkpoint.pt");
        const auto taker = load(elsewhere.directory / "checkpoint.pt");
        CHECK(giver.model.size() == 6);
        CHECK(giver.optimizer.size() >= 6);
        CHECK(same_bits(giver.model, taker.model));
        CHECK(same_bits(giver.optimizer, taker.optimizer));
        CHECK(giver.optimizer_steps == taker.optimizer_steps);
    }
}

TEST_CASE("`optimizer_state: reset` resets the state only when the workers or the batch change") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["optimizer_state"] = "reset";

    crescendo.train({0}, "new", terms, 1);
    crescendo.train({0}, "memory", terms, 2);
    crescendo.train({0, 1}, "memory", terms, 3);
    terms.batch_multiple = 2;
    terms.checkpoint_at = 4;
    crescendo.go_on({0, 1}, terms);
    crescendo.await(0, "report");
    const auto batch_changed = load(terms.directory / "checkpoint.pt");
    terms.checkpoint_at = 5;
    crescendo.train({0, 1}, "memory", terms, 5);
    const auto unchanged = load(terms.directory / "checkpoint.pt");

    CHECK(batch_changed.progress["step"] == 3 * 12 + 6);  // 96 samples in steps of 8, then of 16
    CHECK(batch_changed.optimizer_steps == 6);
    CHECK(unchanged.optimizer_steps == 12);
}

TEST_CASE("any number of workers, even with uneven slices, learns the same from the same group batch") {
    SweepFixture sweep;
    sweep.train = write_images(sweep.folder / "uneven.h5", "train", 50, 1);  // 4 steps of 12; 2 left for 3 workers
    FakeCrescendo crescendo(4, "crescendo-trainer");
    const auto trained = [&](const Json& settings, const std::vector<int>& members, const std::string& name) {
        Terms terms = sweep.terms(name);
        terms.settings = settings;
        terms.settings["batch_size"] = 4;
        terms.settings["dropout"] = 0.3;
        terms.batch_multiple = 3;
        terms.checkpoint_at = 2;
        crescendo.train(members, "new", terms, 2);
        crescendo.leave(members, /*save=*/false);
        return load(terms.directory / "checkpoint.pt").model;
    };

    auto models = small_models(sweep);
    models.front().update({{"flip", "both"}, {"crop_padding", 1}, {"cutout", 2}, {"input_noise", 0.1}});
    for (const Json& settings : models) {
        const std::string model = settings["model"];
        CAPTURE(model);
        const auto one = trained(settings, {0}, "one");

        CHECK(largest_difference(one, trained(settings, {0, 1}, "two")) < tolerance());
        CHECK(largest_difference(one, trained(settings, {0, 1, 2}, "three")) < tolerance());
        CHECK(largest_difference(one, trained(settings, {0, 1, 2, 3}, "four")) < tolerance());
    }
}

TEST_CASE("accumulated gradients of small batches match those of the large batch, even with dropout") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const auto trained = [&](std::int64_t batch_size, std::int64_t multiple, const std::string& name) {
        Terms terms = sweep.terms(name);
        terms.settings["batch_size"] = batch_size;
        terms.settings["dropout"] = 0.3;
        terms.batch_multiple = multiple;
        terms.checkpoint_at = 2;
        crescendo.train({0}, "new", terms, 2);
        crescendo.leave({0}, /*save=*/false);
        return load(terms.directory / "checkpoint.pt").model;
    };

    CHECK(largest_difference(trained(20, 1, "large"), trained(5, 4, "small")) < tolerance());
}

TEST_CASE("a newcomer opens its data before it meets the others, which would have to wait for it in a collective") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    const Terms terms = sweep.terms("trial");
    crescendo.train({0}, "new", terms, 1);

    crescendo.stop(0);  // so there is no one to meet
    crescendo.join({0, 1}, "memory", terms);
    crescendo.await_open(1, sweep.folder / "data.h5");
    crescendo.signal(0, SIGCONT);

    CHECK(crescendo.await(0, "report")["resource"] == 2);
}

TEST_CASE("rank 0 reports when the group trains at its new size and how long its steps take") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");

    crescendo.train({0}, "new", sweep.terms("trial"), 1);
    crescendo.join({0, 1}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "regrouped")["generation"] == 1);
    const Json regrouped = crescendo.await(0, "regrouped");
    CHECK(regrouped["generation"] == 2);
    CHECK(regrouped["seconds"] > 0);
    CHECK(regrouped["step_seconds"] > 0);
}
