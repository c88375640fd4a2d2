#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "checkpoints.hpp"
#include "fake_crescendo.hpp"
#include "record.hpp"
#include "samples.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::trainer::test;
using crescendo::tests::TemporaryFolder;

namespace {

constexpr std::int64_t num_samples = 96;

/// Data, terms, and folders of one test.
struct Sweep {
    TemporaryFolder folder;
    std::string train = write_images(folder / "data.h5", "train", num_samples, /*seed=*/1);
    std::string validation = write_images(folder / "data.h5", "validation", 20, /*seed=*/2);

    Sweep() { std::filesystem::create_directory(record()); }

    Terms terms(const std::string& name) const {
        Terms terms;
        terms.settings = small_cnn(train, validation);
        terms.directory = folder / name;
        return terms;
    }
    std::filesystem::path record() const { return folder / "record"; }
    std::filesystem::path gate() const { return folder / "gate"; }
    Environment recording(int gate_step = -1) const {
        return {{"TEST_RECORD", record().string()},
                {"TEST_GATE", std::to_string(gate_step) + ":" + gate().string()}};
    }
    void open_gate() const { std::ofstream(gate()).put('\n'); }
};

}  // namespace

TEST_CASE("regrouping to the same size changes no bit of a trial") {
    const Sweep sweep;
    const std::vector<int> members{0, 1, 2};  // with three, sums depend on the order in which the ring adds
    FakeCrescendo crescendo(3, CRESCENDO_TRAINER);
    Terms undisturbed = sweep.terms("undisturbed");
    Terms regrouped = sweep.terms("regrouped");
    for (Terms* terms : {&undisturbed, &regrouped}) {
        terms->settings["dropout"] = 0.2;
        terms->batch_multiple = 3;
        terms->checkpoint_at = 3;
    }

    crescendo.train(members, "new", undisturbed, 3);
    crescendo.leave(members, /*save=*/false);
    crescendo.train(members, "new", regrouped, 1);
    crescendo.train(members, "memory", regrouped, 2);
    crescendo.train(members, "memory", regrouped, 3);
    crescendo.leave(members, /*save=*/false);

    CHECK(file_bytes(undisturbed.directory / "checkpoint.pt") == file_bytes(regrouped.directory / "checkpoint.pt"));
}

TEST_CASE("a group that grows from one to two to four sees every sample once in every epoch") {
    const Sweep sweep;
    FakeCrescendo crescendo(4, RECORDING_TRAINER, sweep.recording());
    Terms terms = sweep.terms("trial");

    crescendo.train({0}, "new", terms, 1);
    terms.batch_multiple = 2;
    crescendo.train({0, 1}, "memory", terms, 2);
    terms.batch_multiple = 4;
    crescendo.train({0, 1, 2, 3}, "memory", terms, 3);

    const auto by_epoch = samples_by_epoch(sweep.record());
    CHECK(by_epoch.size() == 3);
    for (const auto& [epoch, samples] : by_epoch) CHECK(samples == each_once(num_samples));
}

TEST_CASE("a regroup in mid-epoch moves slices between members and no sample") {
    const Sweep sweep;
    FakeCrescendo crescendo(3, RECORDING_TRAINER, sweep.recording(/*gate_step=*/4));
    Terms terms = sweep.terms("trial");
    crescendo.join({0, 1}, "new", terms);
    await_step(sweep.record(), 4, /*num_members=*/2);

    terms.batch_multiple = 3;
    crescendo.join({0, 1, 2}, "memory", terms);
    sweep.open_gate();
    const Json report = crescendo.await(0, "report");

    CHECK(report["resource"] == 1);
    CHECK(report["generation"] == 2);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(num_samples));
}

TEST_CASE("momentum survives growth, at the members that join as well") {
    const Sweep sweep;
    FakeCrescendo crescendo(2, CRESCENDO_TRAINER);
    for (const char* optimizer : {"sgd", "adamw"}) {
        CAPTURE(optimizer);
        Terms before = sweep.terms(std::string(optimizer) + "-before");
        before.settings["optimizer"] = optimizer;
        before.checkpoint_at = 1;
        before.max_resource = 1;  // nobody trains on after the regroup
        Terms after = before;
        after.directory = sweep.folder / (std::string(optimizer) + "-after");
        std::filesystem::create_directory(after.directory);

        crescendo.train({0}, "new", before, 1);
        crescendo.join({0, 1}, "memory", after);
        crescendo.join({1}, "memory", after);  // what trainer 1 holds came to it over the network
        crescendo.leave({0}, /*save=*/false);
        CHECK(crescendo.leave({1}, /*save=*/true));

        const auto old = load(before.directory / "checkpoint.pt");
        const auto grown = load(after.directory / "checkpoint.pt");
        CHECK(old.model.size() > 0);
        CHECK(old.optimizer.size() > 0);
        CHECK(same_bits(old.model, grown.model));
        CHECK(same_bits(old.optimizer, grown.optimizer));
        CHECK(old.optimizer_steps == grown.optimizer_steps);
    }
}

TEST_CASE("optimizer_state: reset forgets momentum when the group grows, and only then") {
    const Sweep sweep;
    FakeCrescendo crescendo(2, CRESCENDO_TRAINER);
    Terms terms = sweep.terms("trial");
    terms.settings["optimizer_state"] = "reset";
    terms.max_resource = 1;

    crescendo.train({0}, "new", terms, 1);
    crescendo.join({0}, "memory", terms);
    crescendo.leave({0}, /*save=*/true);
    const auto same_size = load(terms.directory / "checkpoint.pt");
    crescendo.train({0}, "checkpoint", terms, 1);
    crescendo.join({0, 1}, "memory", terms);
    crescendo.leave({0, 1}, /*save=*/true);
    const auto grown = load(terms.directory / "checkpoint.pt");

    CHECK(same_size.optimizer_steps == 12);  // 96 samples by 8
    CHECK(grown.optimizer_steps == 0);
    CHECK(grown.optimizer.empty());
}

TEST_CASE("one worker, several, and several with uneven slices learn the same from the same group batch") {
    Sweep sweep;
    sweep.train = write_images(sweep.folder / "uneven.h5", "train", 50, 1);  // 4 steps of 12, and 2 for 3 workers
    FakeCrescendo crescendo(3, CRESCENDO_TRAINER);
    const auto trained = [&](const std::vector<int>& members, const std::string& name) {
        Terms terms = sweep.terms(name);
        terms.settings["batch_size"] = 4;
        terms.batch_multiple = 3;
        terms.checkpoint_at = 2;
        crescendo.train(members, "new", terms, 2);
        crescendo.leave(members, /*save=*/false);
        return load(terms.directory / "checkpoint.pt").model;
    };

    const auto one = trained({0}, "one");
    const auto two = trained({0, 1}, "two");
    const auto three = trained({0, 1, 2}, "three");

    CHECK(largest_difference(one, two) < 1e-5);
    CHECK(largest_difference(one, three) < 1e-5);
}

TEST_CASE("accumulated gradients of small batches are those of the large batch") {
    const Sweep sweep;
    FakeCrescendo crescendo(1, CRESCENDO_TRAINER);
    const auto trained = [&](std::int64_t batch_size, std::int64_t multiple, const std::string& name) {
        Terms terms = sweep.terms(name);
        terms.settings["batch_size"] = batch_size;
        terms.batch_multiple = multiple;
        terms.checkpoint_at = 2;
        crescendo.train({0}, "new", terms, 2);
        crescendo.leave({0}, /*save=*/false);
        return load(terms.directory / "checkpoint.pt").model;
    };

    CHECK(largest_difference(trained(20, 1, "large"), trained(5, 4, "small")) < 1e-5);
}

TEST_CASE("rank 0 says when the first step at the new size is done") {
    const Sweep sweep;
    FakeCrescendo crescendo(2, CRESCENDO_TRAINER);

    crescendo.train({0}, "new", sweep.terms("trial"), 1);
    crescendo.join({0, 1}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "regrouped")["generation"] == 1);
    const Json regrouped = crescendo.await(0, "regrouped");
    CHECK(regrouped["generation"] == 2);
    CHECK(regrouped["seconds"] > 0);
}
