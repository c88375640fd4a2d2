#include <doctest/doctest.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/datasets/files.hpp"
#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/grid.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/transports.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("training learns to distinguish four classes") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");

    const Json report = crescendo.train({0}, "new", sweep.terms("trial"), 12);

    CHECK(report["metrics"]["val_accuracy"] > 0.9);
    CHECK(report["metrics"]["val_loss"] < 0.7);
    CHECK(report["metrics"]["train_loss"] < 0.7);
    CHECK(report["data_wait"] > 0.0);
    CHECK(report["data_wait"] <= 1.0);
}

TEST_CASE("smaller micro-batches give the same gradients") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const Json whole = crescendo.train({0}, "new", sweep.terms("whole"), 2)["metrics"];
    crescendo.leave({0}, false);
    Terms terms = sweep.terms("halves");
    terms.accumulation = 4;

    const Json parts = crescendo.train({0}, "new", terms, 2)["metrics"];

    CHECK(parts["train_loss"].get<double>() == doctest::Approx(whole["train_loss"].get<double>()).epsilon(1e-4));
    CHECK(parts["val_loss"].get<double>() == doctest::Approx(whole["val_loss"].get<double>()).epsilon(1e-4));
}

TEST_CASE("the samples of an epoch's short last step have the same weight as all others") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const auto trained = [&](std::int64_t batch_size, double lr) {
        Terms terms = sweep.terms(std::to_string(batch_size) + "-" + std::to_string(lr));
        terms.settings["batch_size"] = batch_size;
        terms.settings["momentum"] = 0.0;
        terms.settings["lr"] = lr;
        terms.checkpoint_at = 1;
        crescendo.train({0}, "new", terms, 1);
        crescendo.leave({0}, /*save=*/false);
        return load(terms.directory / "checkpoint.pt").model;
    };
    const double lr = 1e-3;  // so small that all gradients are close to those at the initial weights

    const auto initial = trained(96, 0.0);
    const auto whole = trained(96, lr);
    const auto parts = trained(80, lr * 80 / 96);  // steps of 80 and 16 samples, with equal weights

    CHECK(largest_difference(parts, whole) < 0.02 * largest_difference(initial, whole));
}

TEST_CASE("a batch larger than the training set counts as the whole set, also for the learning rate") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const auto trained = [&](std::int64_t batch_size, std::int64_t multiple) {
        Terms terms = sweep.terms(std::to_string(batch_size) + "-" + std::to_string(multiple));
        terms.settings["batch_size"] = batch_size;
        terms.checkpoint_at = 3;
        crescendo.train({0}, "new", terms, 1);
        terms.batch_multiple = multiple;
        crescendo.go_on({0}, terms);
        crescendo.await(0, "report");
        crescendo.go_on({0}, terms);
        const Json metrics = crescendo.await(0, "report")["metrics"];
        crescendo.leave({0}, /*save=*/false);
        CHECK(load(terms.directory / "checkpoint.pt").progress["rate"]["batch"] == SweepFixture::num_samples);
        return metrics;
    };

    CHECK(trained(64, 64) == trained(64, 2));  // 96 samples
    CHECK(trained(128, 64) == trained(96, 1));
}

TEST_CASE("a trial trains with more micro-batches than samples") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.accumulation = 1 << 20;

    CHECK(crescendo.train({0}, "new", terms, 1)["metrics"]["train_loss"].is_number());
}

TEST_CASE("a trainer survives the signals that a batch system sends as a warning") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    crescendo.train({0}, "new", sweep.terms("trial"), 1);

    crescendo.signal(0, SIGTERM);
    crescendo.signal(0, SIGUSR2);
    crescendo.go_on({0}, sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 2);
    CHECK(crescendo.leave({0}, /*save=*/true));
}

TEST_CASE("a trainer that waits for orders gives signs of life") {
    FakeCrescendo crescendo(1, "crescendo-trainer");

    crescendo.await(0, "progress");
    crescendo.await(0, "progress");
}

TEST_CASE("an autoencoder has a much smaller loss than the mean of the fields") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    const auto val_loss = [&](const std::string& name, const std::string& train, const std::string& validation) {
        Terms terms = sweep.terms(name);
        terms.settings = small_autoencoder(train, validation);
        terms.settings["optimizer"] = "adam";
        const Json metrics = crescendo.train({0, 1}, "new", terms, 10)["metrics"];
        crescendo.leave({0, 1}, /*save=*/false);
        CHECK_FALSE(metrics.contains("val_accuracy"));
        return metrics["val_loss"].get<double>();
    };
    const auto file = sweep.folder / "waves.h5";
    const auto alone = sweep.folder / "alone.h5";

    const double prediction =
        val_loss("prediction", write_waves(file, "train", 96, 1), write_waves(file, "validation", 20, 2));
    const double reconstruction = val_loss("reconstruction", without_targets(write_waves(alone, "train", 96, 1)),
                                           without_targets(write_waves(alone, "validation", 20, 2)));

    // A wave of height h has the variance h²/2, and h² is 7/3 on average. The target is the sum of two waves.
    CHECK(prediction < 0.1 * 2 * 7 / 6);
    CHECK(reconstruction < 0.1 * 7 / 6);
}

TEST_CASE("latitudes weight the losses and metrics, with equal results on two workers and similar ones in bf16") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    const auto train = write_grid(sweep.folder / "train.nc", 23, {90, 60, 40, 20, 0, -20, -40, -60});
    const auto validation = write_grid(sweep.folder / "validation.nc", 7, std::vector<float>(8, 52));
    const auto metrics = [&](const std::vector<int>& members, const std::string& latitude,
                             const Json& more = Json::object()) {
        Terms terms = sweep.terms("trial");
        terms.settings = {{"model", "unet"},
                          {"width", 4},
                          {"depth", 1},
                          {"norm", "none"},
                          {"batch_size", 10},
                          {"metrics", {"mae", "rmse", "r2"}},
                          {"data",
                           {{"train", train},
                            {"validation", validation},
                            {"inputs", "t[:, 0]"},
                            {"targets", "t[:, 1]"},
                            {"latitude", latitude}}}};
        terms.settings.update(more);
        const Json found = crescendo.train(members, "new", terms, 2)["metrics"];
        crescendo.leave(members, /*save=*/false);
        return found;
    };
    const auto differ = [](const Json& some, const Json& others) {
        double most = 0;
        for (const auto& [name, value] : some.items()) {
            const double other = others.at(name);
            most = std::max(most, std::abs(value.get<double>() - other) / std::abs(other));
        }
        return most;
    };

    const Json without = metrics({0}, "");
    const Json alike = metrics({0}, (sweep.folder / "validation.nc").string() + ":/latitude");
    const Json one = metrics({0}, "latitude");
    const Json two = metrics({0, 1}, "latitude");
    const Json shorter = metrics({0}, "latitude", {{"precision", "bf16"}});

    CHECK(differ(alike, without) < 1e-5);
    CHECK(differ(two, one) < 1e-5);
    CHECK(differ(shorter, one) < 0.03);
    for (const char* name : {"train_loss", "val_loss", "val_mae", "val_rmse", "val_r2"}) {
        CAPTURE(name);
        CHECK(std::abs(one.at(name).get<double>() / without.at(name).get<double>() - 1) > 0.01);
    }
}

TEST_CASE("evaluation does not consume training samples, even if both use the same set in the same order") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"] = {{"train", sweep.train}, {"validation", sweep.train}, {"shuffle", "none"}};

    const Json report = crescendo.train({0}, "new", terms, 2);

    CHECK(report["metrics"]["train_loss"].is_number());  // null without samples
}

TEST_CASE("equal seeds give equal results, and different seeds do not") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const auto metrics = [&](std::uint64_t seed) {
        Terms terms = sweep.terms("trial");
        terms.seed = seed;
        const Json report = crescendo.train({0}, "new", terms, 1);
        crescendo.leave({0}, /*save=*/false);
        return report["metrics"];
    };

    CHECK(metrics(1) == metrics(1));
    CHECK(metrics(1) != metrics(2));
}

TEST_CASE("a sample that is not finite fails a trial with its location or, with `nan: skip`, is left out") {
    const SweepFixture sweep;
    const auto train = write_numbers(sweep.folder / "numbers.h5", "train", 40, /*nan_at=*/17);
    Terms terms = sweep.terms("trial");
    terms.settings = small_cnn(train, train);
    terms.settings["model"] = "mlp";
    terms.settings["lr"] = 1e-5;
    FakeCrescendo crescendo(1, "crescendo-trainer");

    crescendo.join({0}, "new", terms);
    const std::string message = crescendo.await(0, "failed")["message"];

    CHECK(message.c_str() ==
          doctest::Contains("numbers.h5:/train: sample 17 of /train/inputs has a number that is NaN"));

    terms.settings["data"]["nan"] = "skip";
    FakeCrescendo others(2, "crescendo-trainer");
    const Json report = others.train({0, 1}, "new", terms, 2);
    CHECK(report["metrics"]["train_loss"].is_number());
    CHECK(report["metrics"]["val_loss"].is_number());
    CHECK(report["samples_left_out"] == 2.0 / 80);  // one of 40 samples, in training and in validation
}

TEST_CASE("a trial fails if no sample is left for training or validation") {
    const SweepFixture sweep;
    Terms terms = sweep.terms("trial");
    const auto all = write_numbers(sweep.folder / "numbers.h5", "train", 40);
    const auto nothing = write_numbers(sweep.folder / "nothing.h5", "train", 1, /*nan_at=*/0);
    const auto failure_of = [&](const auto& train, const auto& validation) -> std::string {
        terms.settings = small_cnn(train, validation);
        terms.settings["model"] = "mlp";
        terms.settings["data"]["nan"] = "skip";
        FakeCrescendo crescendo(1, "crescendo-trainer");
        crescendo.join({0}, "new", terms);
        return crescendo.await(0, "failed")["message"];
    };

    CHECK(failure_of(all, nothing).c_str() == doctest::Contains("val_loss has no samples: each one has a NaN"));
    CHECK(failure_of(nothing, all).c_str() == doctest::Contains("train_loss has no samples"));
}

TEST_CASE("a loss that is not a number is reported as null, and training continues") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["lr"] = 1e30;

    const Json report = crescendo.train({0, 1}, "new", terms, 2);

    CHECK(report["metrics"]["train_loss"].is_null());
    CHECK(report["metrics"]["val_loss"].is_null());
    CHECK(report["metrics"]["val_accuracy"].is_number());
}

TEST_CASE("a null loss survives the checkpoint") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["lr"] = 1e30;
    crescendo.train({0}, "new", terms, 1);
    crescendo.leave({0}, /*save=*/true);

    crescendo.join({0}, "checkpoint", terms);

    CHECK(crescendo.await(0, "report")["metrics"]["train_loss"].is_null());
}

TEST_CASE("a trial whose checkpoint is damaged begins again and renames the file") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    const Json first = crescendo.train({0}, "new", terms, 1);
    crescendo.leave({0}, /*save=*/true);
    const auto path = terms.directory / "checkpoint.pt";
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) / 2));
        file << "damage";
    }

    crescendo.join({0}, "checkpoint", terms);

    const Json again = crescendo.await(0, "report");
    CHECK(again["resource"] == 1);
    CHECK(again["metrics"] == first["metrics"]);
    CHECK(std::filesystem::exists(path.string() + ".damaged"));
}

TEST_CASE("a trial whose checkpoint cannot be read fails and keeps the file for a later attempt") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const Terms terms = sweep.terms("trial");
    crescendo.train({0}, "new", terms, 1);
    crescendo.leave({0}, /*save=*/true);
    const auto path = terms.directory / "checkpoint.pt";
    std::filesystem::rename(path, terms.directory / "kept");
    std::filesystem::create_symlink("/proc/self/mem", path);  // reading its beginning is an I/O error

    crescendo.join({0}, "checkpoint", terms);

    const std::string message = crescendo.await(0, "failed")["message"];
    CHECK(message.find("Input/output error") != std::string::npos);
    CHECK(std::filesystem::is_symlink(path));
    CHECK_FALSE(std::filesystem::exists(path.string() + ".damaged"));
}

TEST_CASE("a model evaluated from its checkpoint has the metrics that it reported") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"]["test"] = sweep.validation;
    terms.checkpoint_at = 2;
    const Json report = crescendo.train({0}, "new", terms, 2);
    crescendo.leave({0}, /*save=*/false);

    Json evaluate = {{"type", "evaluate"},
                     {"trial", 0},
                     {"settings", terms.settings},
                     {"resource", 2},
                     {"checkpoint", (terms.directory / "checkpoint.pt").string()},
                     {"data", "test"}};
    crescendo.send(0, evaluate);

    const Json metrics = crescendo.await(0, "evaluated")["metrics"];
    CHECK(metrics["test_loss"] == report["metrics"]["val_loss"]);
    CHECK(metrics["test_accuracy"] == report["metrics"]["val_accuracy"]);

    evaluate["resource"] = 3;
    crescendo.send(0, evaluate);

    const std::string refusal = crescendo.await(0, "failed")["message"];
    CHECK(refusal.find("the checkpoint is from the report at 2; the state of trial 0 at 3 was not saved") !=
          std::string::npos);
}

TEST_CASE("all members of a group begin with the weights of another trial") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    const Json source = crescendo.train({0}, "new", sweep.terms("source"), 1)["metrics"];
    crescendo.leave({0}, /*save=*/true);
    Terms terms = sweep.terms("next");
    terms.trial = 1;
    terms.seed = 7;
    terms.settings["init_from"] = (sweep.folder / "source" / "checkpoint.pt").string();
    terms.settings["lr"] = 0.0;

    crescendo.join({0, 1}, "new", terms);

    const Json metrics = crescendo.await(0, "report")["metrics"];
    CHECK(metrics["val_loss"].get<double>() == doctest::Approx(source["val_loss"].get<double>()).epsilon(1e-6));
}

TEST_CASE("after the last epoch a trial waits even if told to continue") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.max_resource = 1;

    crescendo.train({0}, "new", terms, 1);
    crescendo.go_on({0}, terms);

    CHECK_FALSE(crescendo.leave({0}, /*save=*/false));
}

TEST_CASE("an order to leave reaches a trainer whose group never forms") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    crescendo.train({0}, "new", terms, 1);

    crescendo.send(0, {{"type", "join"},
                       {"trial", 0},
                       {"generation", 9},
                       {"rank", 0},
                       {"size", 2},
                       {"batch_multiple", 1},
                       {"checkpoint_at", nullptr},
                       {"max_resource", 9},
                       {"seed", 1},
                       {"settings", terms.settings},
                       {"directory", terms.directory.string()},
                       {"state", "memory"}});

    CHECK(crescendo.leave({0}, /*save=*/true));
}

TEST_CASE("a trainer serves one trial after another") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    for (std::int64_t trial = 0; trial < 3; ++trial) {
        Terms terms = sweep.terms("trial-" + std::to_string(trial));
        terms.trial = trial;
        terms.settings["model"] = trial == 1 ? "mlp" : "cnn";

        CHECK(crescendo.train({0}, "new", terms, 1)["trial"] == trial);
        crescendo.leave({0}, /*save=*/false, trial);

        CHECK(content(terms.directory / "trainer.log").find("epoch 1, 1 workers") == 0);
    }
}

TEST_CASE("a trainer whose channel closes exits with status 0") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    crescendo.train({0}, "new", sweep.terms("trial"), 1);

    crescendo.hang_up(0);
    crescendo.hang_up(1);

    CHECK(crescendo.wait_for_end(0) == 0);
    CHECK(crescendo.wait_for_end(1) == 0);
}

TEST_CASE("a sweep that began before the layout of samples was required continues without it") {
    const SweepFixture sweep;
    {
        crescendo::tests::Hdf5Writer writer(sweep.folder / "bands.h5");
        writer.add("/inputs", {16, 8, 8, 6}, H5T_NATIVE_UCHAR, std::vector<unsigned char>(16 * 8 * 8 * 6, 1));
        writer.add("/targets", {16}, H5T_NATIVE_UCHAR,
                   std::vector<unsigned char>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
    }
    const auto location = (sweep.folder / "bands.h5").string() + ":/";
    Terms terms = sweep.terms("trial");
    terms.settings = small_cnn(location, location);
    FakeCrescendo crescendo(1, "crescendo-trainer");

    CHECK(crescendo.train({0}, "new", terms, 1)["metrics"]["val_loss"].is_number());
}

TEST_CASE("an error that makes training impossible is sent in full before the process ends") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"]["train"] = (sweep.folder / "missing.h5").string() + ":/train";

    crescendo.join({0}, "new", terms);

    const Json failed = crescendo.await(0, "failed");
    CHECK(failed["trial"] == 0);
    CHECK(failed["kind"] == "error");
    CHECK(failed["message"].get<std::string>().find("missing.h5") != std::string::npos);
    CHECK(crescendo.wait_for_end(0) == 1);
}

TEST_CASE("NCCL uses algorithms with a fixed order in a deterministic trial unless the user has chosen others") {
    const auto algorithms = [](const std::vector<const char*>& trials, const Environment& more = {}) {
        const SweepFixture sweep;
        Environment variables = OverNccl::recording(sweep);
        variables.insert(variables.end(), more.begin(), more.end());
        FakeCrescendo crescendo(2, "recording-trainer", variables);
        for (const char* deterministic : trials) {
            Terms terms = sweep.terms(deterministic);
            terms.settings["deterministic"] = deterministic;
            crescendo.train({0, 1}, "new", terms, 1);
            crescendo.leave({0, 1}, /*save=*/false);
        }
        return content(sweep.folder / "algorithms");  // from both members, as their communicator forms
    };

    CHECK(algorithms({"on", "off"}) == "^NVLS,NVLSTree\n^NVLS,NVLSTree\nany\nany\n");
    CHECK(algorithms({"on"}, {{"NCCL_ALGO", "Ring"}}) == "Ring\nRing\n");
}

TEST_CASE("a model that does not fit into memory fails as out_of_memory, not as an error") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["model"] = "mlp";
    terms.settings["depth"] = 2;
    terms.settings["width"] = 1 << 20;  // the second hidden layer's weights take 4 TiB

    crescendo.join({0}, "new", terms);

    CHECK(crescendo.await(0, "failed")["kind"] == "out_of_memory");
}
