#include "tests/launch/commands/sweep_file.hpp"

#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/arguments.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

namespace {

const std::vector<std::string> to_cifar10{"export", "s", "--to", "dawnbench", "--task", "CIFAR10", "--out", "entries"};

/// A sweep of one trial, which is above 94 % after two epochs and 1.5 hours.
void run_sweep(const fs::path& folder) {
    write_file(folder / "train.sh",
               "echo '{\"resource\": 1, \"metrics\": {\"val_accuracy\": 0.5}, \"seconds\": 1800}' >&$CRESCENDO_FD\n"
               "read decision <&$CRESCENDO_FD\n"
               "echo '{\"resource\": 2, \"metrics\": {\"val_accuracy\": 0.95}, \"seconds\": 5400}' >&$CRESCENDO_FD\n"
               "read decision <&$CRESCENDO_FD\n");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: val_accuracy, goal: maximize}\nrun_cap: 1\nmax_retries: 0\nslots: 1\n"
               "parameters: {x: {min: 0.0, max: 1.0}}\nscheduler: {type: fifo, max: 2}\ncommand: [bash, train.sh]\n");
    REQUIRE(run_crescendo(folder, {"run", "sweep.yaml"}).code == 0);
}

}  // namespace

TEST_CASE("a sweep becomes an entry of DAWNBench with details from options or from the sweep file") {
    const TemporaryFolder folder;
    run_sweep(folder.path());
    std::ofstream(folder / "s/sweep.yaml", std::ios::app)
        << "entry: {author: Jane, author_email: j@x.org, framework: bash, model: echo}\n";

    const auto result =
        run_crescendo(folder.path(), with(to_cifar10, {"--hardware", "1 core", "--date", "2026-11-30"}));

    REQUIRE_MESSAGE(result.code == 0, result.err);
    const std::string name = "entries/CIFAR10/train/Jane_echo_1-core_bash";
    CHECK(result.out == name + ".json\n" + name + ".tsv\n");
    CHECK(contains(result.err, "no entry for inference"));
    CHECK(content_of(folder / (name + ".tsv")) == "epoch\thours\ttop1Accuracy\n1\t0.5\t50\n2\t1.5\t95\n");
    CHECK(Json::parse(content_of(folder / (name + ".json"))).at("timestamp") == "2026-11-30");
}

TEST_CASE("export refuses missing or wrong details and writes nothing") {
    const TemporaryFolder folder;
    run_sweep(folder.path());

    const auto incomplete = run_crescendo(folder.path(), to_cifar10);
    const auto no_date = run_crescendo(folder.path(), with(to_cifar10, {"--date", "2026-02-30"}));
    const auto blanks = run_crescendo(folder.path(), with(to_cifar10, {"--date", "2026- 1- 2"}));
    const auto no_format = run_crescendo(folder.path(), {"export", "s", "--to", "excel", "--out", "entries"});
    const auto no_sweep = run_crescendo(folder.path(), {"export", "none", "--to", "dawnbench", "--out", "entries"});

    CHECK(incomplete.code == 2);
    CHECK(contains(incomplete.err, "add --author \"Jane Doe\" --author-email"));
    CHECK(no_date.code == 2);
    CHECK(contains(no_date.err, "2026-02-30 is not a date"));
    CHECK(contains(blanks.err, "2026- 1- 2 is not a date"));
    CHECK(no_format.code == 2);
    CHECK(contains(no_format.err, "dawnbench"));
    CHECK(no_sweep.code == 2);
    CHECK(!fs::exists(folder / "entries"));
}

TEST_CASE("export writes repeatedly into the sweep's own folder, but only once into the folder of --out") {
    const TemporaryFolder folder;
    run_sweep(folder.path());

    const auto inside = run_crescendo(folder.path(), {"export", "s", "--to", "csv"});
    REQUIRE_MESSAGE(inside.code == 0, inside.err);
    write_file(folder / "s/export/csv/trials.csv", "older");
    const auto again = run_crescendo(folder.path(), {"export", "s", "--to", "csv"});
    const auto outside = run_crescendo(folder.path(), {"export", "s", "--to", "csv", "--out", "csv"});
    write_file(folder / "csv/trials.csv", "mine");
    const auto refused = run_crescendo(folder.path(), {"export", "s", "--to", "csv", "--out", "csv"});

    CHECK(inside.out == "s/export/csv/trials.csv\ns/export/csv/reports.csv\n");
    CHECK(again.code == 0);
    CHECK(outside.out == "csv/trials.csv\ncsv/reports.csv\n");
    CHECK(content_of(folder / "s/export/csv/trials.csv") ==
          run_crescendo(folder.path(), {"trials", "s", "--format", "csv"}).out);
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "csv/trials.csv: already exists"));
    CHECK(content_of(folder / "csv/trials.csv") == "mine");
}

TEST_CASE("the command names the files that each format writes") {
    const TemporaryFolder folder;
    run_sweep(folder.path());

    for (const std::string format : {"csv", "json", "optuna", "tensorboard", "mlflow"}) {
        CAPTURE(format);
        const auto result = run_crescendo(folder.path(), {"export", "s", "--to", format});
        REQUIRE_MESSAGE(result.code == 0, result.err);
        CHECK(fs::is_regular_file(folder / result.out.substr(0, result.out.find('\n'))));
    }
}

TEST_CASE("--follow exports until the sweep has ended, and refuses formats that it does not work with") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh",
               "for i in 1 2; do echo '{\"resource\": '$i', \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD\n"
               "read decision <&$CRESCENDO_FD; until [ $i = 2 ] || [ -e go ]; do sleep 0.05; done; done\n");
    write_file(folder / "sweep.yaml", "name: s\nmetric: {name: loss}\nrun_cap: 1\nslots: 1\nparameters: {x: {min: 0.0, "
                                      "max: 1.0}}\nscheduler: {type: fifo, max: 2}\ncommand: [bash, train.sh]\n");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("a report", [&] { return fs::exists(folder / "s/journal.jsonl") && num_reports(folder / "s") == 1; });

    const auto refused = run_crescendo(folder.path(), {"export", "s", "--to", "optuna", "--follow"});
    Command follow(folder.path(), {"export", "s", "--to", "csv", "--out", "csv", "--follow"});
    await("an export", [&] { return contains(content_of(folder / "csv/reports.csv"), "\n0,1,"); });
    write_file(folder / "go", "");

    CHECK(run.wait() == 0);
    CHECK_MESSAGE(follow.wait() == 0, follow.err());
    CHECK(contains(content_of(folder / "csv/reports.csv"), "\n0,2,"));
    CHECK(contains(content_of(folder / "csv/trials.csv"), "finished"));
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "--follow does not work with optuna"));
}

TEST_CASE("--follow asks the batch system about the sweep's job less often than it exports") {
    const PlayedSlurm slurm;
    const OldSweep sweep;
    sweep.note_job("17");
    slurm.answer("squeue", "echo PENDING");
    const auto exported = sweep.folder / "csv/trials.csv";

    const Command follow(sweep.folder.path(), {"export", "s", "--to", "csv", "--out", "csv", "--follow"});
    for (int i = 0; i < 4; ++i) {
        await("an update", [&] { return fs::exists(exported); });
        fs::remove(exported);
    }

    CHECK(slurm.calls("squeue") <= 2);  // one each half a minute
}

TEST_CASE("formats that only their own library can write are refused with an explanation") {
    const TemporaryFolder folder;
    run_sweep(folder.path());

    const auto parquet = run_crescendo(folder.path(), {"export", "s", "--to", "parquet"});
    const auto wandb = run_crescendo(folder.path(), {"export", "s", "--to", "wandb"});

    CHECK(parquet.code == 2);
    CHECK(contains(parquet.err, "docs/exports.md#parquet"));
    CHECK(wandb.code == 2);
    CHECK(contains(wandb.err, "W&B's offline runs have no published format"));
}

TEST_CASE("an export of another user's sweep needs --out") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root makes folders of other users");
        return;
    }
    const OldSweep sweep;
    REQUIRE(::chown((sweep.folder / "s").c_str(), 12345, 12345) == 0);

    const auto refused = sweep.run({"export", "s", "--to", "csv"});

    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "s: is another user's folder"));
    CHECK(contains(refused.err, "name a folder with --out"));
    CHECK_FALSE(fs::exists(sweep.folder / "s/export"));
    CHECK(sweep.run({"export", "s", "--to", "csv", "--out", "tables"}).code == 0);
}
