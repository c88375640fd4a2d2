/// Sweeps with models and losses from plug-ins, with the real trainer.

#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

/// A sweep over flows of 16 x 16 that predicts one number, their decay. `trainer` has more lines of the section of that
/// name. The libraries are mine.so, from the example, and others that misbehave.
struct SweepFolder : TemporaryFolder {
    explicit SweepFolder(const std::string& scheduler, const std::string& trainer, const std::string& more = "") {
        for (const auto& library : fs::directory_iterator(CRESCENDO_MODEL_PLUGINS)) {
            fs::create_symlink(library.path(), *this / library.path().filename());
        }
        for (const std::string seed : {"1", "2"}) {
            const auto made =
                run_crescendo(path(), {"data", "generate", seed == "1" ? "data.h5:/train" : "data.h5:/other", "--flow",
                                       "--samples", "128", "--size", "16", "--seed", seed});
            REQUIRE_MESSAGE(made.code == 0, made.err);
        }
        write_file(*this / "sweep.yaml", "name: s\nmetric: {name: val_rmse}\nscheduler: {" + scheduler + "}\n" + more +
                                             "trainer:\n  metrics: [rmse]\n  batch_size: 8\n"
                                             "  data: {train: \"data.h5:/train\", validation: \"data.h5:/other\"}\n" +
                                             trainer);
    }

    Json read(const std::string& command) const {
        return run_crescendo(path(), {command, "s", "--format", "json"}).json();
    }
};

const std::string mine = "  plugins: [./mine.so]\n  model: gated\n  loss: log_cosh\n  dropout: 0.2\n";
const std::string options = ", width: {values: [128]}, scale: {values: [0.1]}";
const std::string parameters = "parameters: {lr: {min: 0.01, max: 0.02}" + options + "}\n";

std::vector<Json> reports_of(const fs::path& sweep) {
    auto records = journal_of(sweep);
    std::erase_if(records, [](const Json& record) { return record.value("event", "") != "trial_reported"; });
    return records;
}

}  // namespace

TEST_CASE("a plug-in's model and loss grow from one worker to two, and survive kill -9 of one and of all processes") {
    const SweepFolder folder("type: rasda, min: 1, max: 65536, reduction_factor: 2, grow_when: always", mine,
                             "run_cap: 1\nslots: 2\nseed: 3\n" + parameters);
    const auto await_reports = [&](std::size_t count) {
        await("reports", [&] { return num_reports(folder / "s") >= count; });
    };
    {
        Command run(folder.path(), {"run", "sweep.yaml"});
        await_reports(3);
        const auto pid = std::to_string(run.pid());
        ::kill(std::stoi(content_of("/proc/" + pid + "/task/" + pid + "/children")), SIGKILL);  // the first trainer
        await_reports(8);
        for (const long process : processes_in(folder.path())) {
            ::kill(static_cast<pid_t>(process), SIGKILL);
        }
        CHECK(run.wait() == 128 + SIGKILL);
    }
    await("every process ends", [&] { return processes_in(folder.path()).empty(); });

    Command resumed(folder.path(), {"resume", "s"});
    await_reports(32);
    resumed.signal(SIGINT);

    REQUIRE_MESSAGE(resumed.wait() == 75, resumed.err());
    const auto log = content_of(folder / "s/trials/000000/trainer.log");
    CHECK(contains(log, "epoch 1, 1 workers"));
    CHECK(contains(log, "epoch 32, 2 workers"));
    CHECK(contains(log, "continues from its checkpoint"));
    const auto reports = reports_of(folder / "s");
    for (std::size_t i = 0; i < reports.size(); ++i) {
        CHECK(reports[i]["resource"] == i + 1);
    }
    CHECK(reports.back()["metrics"]["train_loss"] < reports.front()["metrics"]["train_loss"]);
    CHECK(folder.read("trials").at(0).at("failures") == 1);

    const auto exported = run_crescendo(folder.path(), {"best", "s", "--export", "winner"});
    REQUIRE_MESSAGE(exported.code == 0, exported.err);
    CHECK_MESSAGE(contains(exported.out, "parameters.json, model.pt, model.safetensors, export.json"), exported.out);
    CHECK(contains(exported.out, "The model comes from a plug-in, and only the plug-in knows its network"));
    CHECK_FALSE(fs::exists(folder / "winner/load.py"));
}

TEST_CASE("a plug-in's model that throws or crashes in training costs its trial and is named, and other trials train") {
    const SweepFolder folder(
        "type: fifo, max: 4", "  plugins: [./trouble.so]\n",
        "slots: 2\nmax_retries: 0\n"
        "sampler: {type: grid}\nparameters: {model: {values: [crashes_in_training, throws_in_training, sound]}}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK_MESSAGE(run.code == 0, run.err);
    const auto trials = folder.read("trials");
    REQUIRE(trials.size() == 3);
    for (const auto& trial : trials) {
        CHECK(trial["status"] == (trial["model"] == "sound" ? "finished" : "failed"));
    }
    CHECK_MESSAGE(contains(run.out, "the model crashes_in_training of ./trouble.so, in forward() crashed"), run.out);
    CHECK_MESSAGE(contains(run.out, "the model throws_in_training of ./trouble.so threw in forward(): no more"),
                  run.out);
}

TEST_CASE("problems with a plug-in's model are found before anything starts, with their position in the file") {
    const SweepFolder folder("type: fifo, max: 1", "", "run_cap: 1\n" + parameters);
    const auto sweep = content_of(folder / "sweep.yaml");
    const struct {
        std::string trainer;
        std::string message;
    } cases[]{
        {"  plugins: [./other_torch.so]\n  model: gated\n",
         "trainer.plugins: ./other_torch.so was built for version 1 of crescendo/model_plugin.hpp and torch 2.4.1"},
        {"  plugins: [./sweep.yaml]\n  model: gated\n", "trainer.plugins: ./sweep.yaml is not a plug-in with models"},
        {"  plugins: [./mine.so]\n  model: gatd\n",
         "sweep.yaml:11:3: trainer.model: \"gatd\" cannot be used here (did you mean 'gated'?); give one of cnn, "},
        {mine + "  gates: 3\n",
         "sweep.yaml:14:3: trainer.gates: no such setting, so it would change nothing; there "
         "are plugins, model, width, depth, dropout, "},
        {mine + "  depth: 65\n", "sweep.yaml:14:3: trainer.depth: 65 is out of range; give 0 to 64"},
        {"  plugins: [./trouble.so]\n  model: misfit\n",
         "sweep.yaml:11:3: trainer.model: the model misfit of ./trouble.so does not fit: it takes 3 channels"},
        {"  plugins: [./trouble.so]\n  model: crashes\n",
         "trainer.plugins: the model crashes of ./trouble.so, in forward() crashed (Segmentation fault)"},
        {"  plugins: [./trouble.so]\n  model: exits\n",
         "trainer.plugins: the model exits of ./trouble.so, in forward() called exit(0)"},
    };
    for (const auto& [trainer, message] : cases) {
        CAPTURE(trainer);
        auto lines = sweep + trainer;
        if (!contains(trainer, "gated")) {
            lines.replace(lines.find(options), options.size(), "");
        }
        write_file(folder / "sweep.yaml", lines);

        const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

        CHECK(result.code == 2);
        CHECK_MESSAGE(contains(result.err, message), result.err);
    }
}

TEST_CASE("crescendo-trainer lists the models and losses of a plug-in with their options") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();

    const auto code = std::system((CRESCENDO_TRAINER " --list " CRESCENDO_MODEL_PLUGINS "/mine.so > " + out).c_str());

    CHECK(code == 0);
    CHECK(contains(content_of(out), "model gated\n  width: 1 to 4096, by default 64\n"));
}
