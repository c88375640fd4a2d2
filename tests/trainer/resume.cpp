#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/await.hpp"
#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/gate.hpp"
#include "tests/trainer/record.hpp"
#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("a trial resumed from its checkpoint ends bit-identical to an uninterrupted one") {
    const SweepFixture sweep;
    for (const std::string optimizer : {"sgd", "adam", "adam of an autoencoder", "adamw and a schedule", "adafactor",
                                        "schedule_free and an average", "adam in fp16"}) {
        CAPTURE(optimizer);
        Terms whole = sweep.terms(optimizer + "-whole");
        if (optimizer.ends_with("autoencoder")) whole.settings = small_autoencoder(sweep.train, sweep.validation);
        if (optimizer.ends_with("average")) whole.settings["ema"] = 0.9;
        if (optimizer.ends_with("fp16")) whole.settings["precision"] = "fp16";
        if (optimizer.ends_with("schedule")) {
            whole.settings.update({{"lr_schedule", "one_cycle"},
                                   {"lr_length", 3},
                                   {"clip_norm", 0.1},
                                   {"ema", 0.9},
                                   {"flip", "horizontal"},
                                   {"crop_padding", 1},
                                   {"cutout", 2},
                                   {"input_noise", 0.1},
                                   {"weight_decay_of", "weights"},
                                   {"label_smoothing", 0.1},
                                   {"metrics", {"f1", "top5", "balanced_accuracy"}}});
        }
        whole.settings["optimizer"] = optimizer.substr(0, optimizer.find(' '));
        whole.settings["dropout"] = 0.3;
        whole.checkpoint_at = 3;
        Terms halves = whole;
        halves.directory = sweep.folder / (optimizer + "-halves");

        FakeCrescendo first(1, "crescendo-trainer");
        first.train({0}, "new", whole, 3);
        first.leave({0}, /*save=*/false);
        first.train({0}, "new", halves, 1);
        CHECK(first.leave({0}, /*save=*/true));
        FakeCrescendo second(1, "crescendo-trainer");
        second.train({0}, "checkpoint", halves, 3);

        CHECK(same_state(load(whole.directory / "checkpoint.pt"), load(halves.directory / "checkpoint.pt")));
    }
}

TEST_CASE("leaving in mid-epoch saves the position, so no sample is seen twice") {
    const SweepFixture sweep;
    Terms terms = sweep.terms("trial");
    FakeCrescendo first(2, "recording-trainer", sweep.recording(/*gate_step=*/3));
    train_up_to_gate(first, sweep, {0, 1}, terms, /*gate_step=*/3);
    for (const int member : {0, 1}) first.send(member, {{"type", "leave"}, {"trial", 0}, {"save", true}});
    sweep.open_gate();
    CHECK(first.await(0, "left")["saved"] == true);
    CHECK(first.await(1, "left")["saved"] == false);

    const Json progress = load(terms.directory / "checkpoint.pt").progress;
    CHECK(progress["epoch"] == 0);
    CHECK(progress["position"].get<int>() > 0);
    CHECK(progress["position"].get<int>() < sweep.num_samples);
    FakeCrescendo second(1, "recording-trainer", sweep.recording());
    second.join({0}, "checkpoint", terms);

    CHECK(second.await(0, "report")["resource"] == 1);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(sweep.num_samples));
}

TEST_CASE("a trial whose trainers are killed only loses the steps since its last checkpoint in mid-epoch") {
    const SweepFixture sweep;
    Terms terms = sweep.terms("trial");
    terms.settings["checkpoint_every"] = "1s";
    const auto checkpoint = terms.directory / "checkpoint.pt";
    FakeCrescendo first(2, "recording-trainer", sweep.recording(/*gate_step=*/1));
    first.join({0, 1}, "new", terms);
    first.await_file(sweep.folder / "gate.reached");       // rank 0 then asks whether a checkpoint is due
    std::this_thread::sleep_for(std::chrono::seconds(1));  // long enough for one to be due
    sweep.open_gate();
    crescendo::tests::await("it is written", [&] { return std::filesystem::exists(checkpoint); });
    first.kill(0);
    first.kill(1);

    CHECK(load(checkpoint).progress["epoch"] == 0);
    CHECK(load(checkpoint).progress["position"] == 8);
    std::filesystem::remove_all(sweep.record());
    std::filesystem::create_directory(sweep.record());
    FakeCrescendo second(1, "recording-trainer", sweep.recording());
    second.join({0}, "checkpoint", terms);

    CHECK(second.await(0, "report")["resource"] == 1);
    CHECK(samples_by_epoch(sweep.record()).at(0).size() == sweep.num_samples - 8);
    CHECK(content(terms.directory / "trainer.log").find("after 0 epochs and 8 samples") != std::string::npos);
}

TEST_CASE("a resumed trial repeats its last report") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    const Json report = crescendo.train({0}, "new", sweep.terms("trial"), 2);
    crescendo.leave({0}, /*save=*/true);

    crescendo.join({0, 1}, "checkpoint", sweep.terms("trial"));

    const Json repeated = crescendo.await(0, "report");
    CHECK(repeated["resource"] == 2);
    CHECK(repeated["metrics"] == report["metrics"]);
    crescendo.go_on({0, 1}, sweep.terms("trial"));
    CHECK(crescendo.await(0, "report")["resource"] == 3);
}

TEST_CASE("checkpoints of version 0.1.0 are resumed unchanged") {
    const SweepFixture sweep;
    struct Old {
        const char* file;
        Json settings;
        std::int64_t batch_multiple;
        std::int64_t epoch;
        double loss;
    };
    const Json cnn{{"width", 1}, {"dropout", 0.2}};  // with momentum
    const Json mlp{{"model", "mlp"}, {"width", 2}, {"activation", "gelu"}, {"optimizer", "adamw"}};
    for (const auto& old : {Old{"checkpoint-0.1.0.pt", cnn, 2, 3, 1.3463231801986695},
                            Old{"checkpoint-0.1.0-adamw.pt", mlp, 1, 2, 1.453573654095332}}) {
        CAPTURE(old.file);
        const auto file = std::filesystem::path(TEST_FOLDER) / old.file;
        FakeCrescendo crescendo(1, "crescendo-trainer");
        Terms terms = sweep.terms(old.file);
        terms.settings.update(old.settings);
        terms.batch_multiple = old.batch_multiple;
        std::filesystem::create_directory(terms.directory);
        std::filesystem::copy_file(file, terms.directory / "checkpoint.pt");

        crescendo.join({0}, "checkpoint", terms);

        const Json report = crescendo.await(0, "report");
        CHECK(report["resource"] == old.epoch);
        const char* metric = report["metrics"].contains("val_loss") ? "val_loss" : "train_loss";
        CHECK(report["metrics"][metric].get<double>() == doctest::Approx(old.loss));
        CHECK(crescendo.leave({0}, /*save=*/true));
        const auto before = load(file);
        auto after = load(terms.directory / "checkpoint.pt");
        after.progress["size"] = before.progress["size"];  // the cnn's group had two workers
        CHECK(same_bits(before.model, after.model));
        CHECK(same_bits(before.optimizer, after.optimizer));
        CHECK(!before.optimizer.empty());
        CHECK(before.optimizer_steps == after.optimizer_steps);
        Json progress = before.progress;
        progress["seconds"] = progress["evaluated"] = 0.0;  // version 0.1.0 had no clock
        progress["report"]["seconds"] = progress["report"]["evaluated"] = 0.0;
        CHECK(after.progress["noise_scale"]["norms"] == 0);  // it did not measure noise
        progress["noise_scale"] = after.progress["noise_scale"];
        progress["loss_scale"] = after.progress["loss_scale"];  // it had no fp16
        CHECK(after.progress == progress);

        crescendo.join({0}, "checkpoint", terms);
        crescendo.await(0, "report");
        crescendo.go_on({0}, terms);
        CHECK(crescendo.await(0, "report")["resource"] == old.epoch + 1);
    }
}

TEST_CASE("a trial without a checkpoint starts again when told to resume") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");

    crescendo.join({0}, "checkpoint", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 1);
}

TEST_CASE("a trial does not continue with different samples") {
    const SweepFixture sweep;
    const Terms terms = sweep.terms("trial");
    FakeCrescendo crescendo(1, "crescendo-trainer");
    crescendo.train({0}, "new", terms, 1);
    CHECK(crescendo.leave({0}, /*save=*/true));
    std::filesystem::remove(sweep.folder / "data.h5");
    write_images(sweep.folder / "data.h5", "train", sweep.num_samples - 1, /*seed=*/1);
    write_images(sweep.folder / "data.h5", "validation", 20, /*seed=*/2);

    FakeCrescendo later(1, "crescendo-trainer");
    later.join({0}, "checkpoint", terms);

    const Json failed = later.await(0, "failed");
    CHECK(failed["kind"] == "error");
    CHECK_MESSAGE(failed["message"].get<std::string>().find("has 95 samples of 8x8, but had 96") != std::string::npos,
                  failed["message"].dump());
}

TEST_CASE("Python's torch.load reads a checkpoint as a plain dict") {
    if (!std::filesystem::exists(TORCH_PYTHON)) {
        MESSAGE("skipped: no Python with torch at " TORCH_PYTHON);
        return;
    }
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "recording-trainer", sweep.recording());
    for (const char* model : {"cnn", "normed"}) {
        CAPTURE(model);
        Terms terms = sweep.terms(model);
        terms.settings["model"] = model;
        crescendo.train({0}, "new", terms, 1);
        crescendo.leave({0}, /*save=*/true);

        const std::string command = std::string(TORCH_PYTHON) + " " TEST_FOLDER "/read_checkpoint.py " +
                                    (terms.directory / "checkpoint.pt").string();

        CHECK(std::system(command.c_str()) == 0);
    }
}
