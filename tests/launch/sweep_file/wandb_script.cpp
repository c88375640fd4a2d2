#include "launch/sweep_file/wandb_script.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/directory/new_sweep.hpp"
#include "tests/contains.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/import/import_a_file.hpp"
#include "tests/launch/sweep_file/remark_on.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

struct Script {
    explicit Script(const std::string& text, const std::string& name = "train.py") : path(folder / name) {
        std::ofstream(path) << text;
    }

    std::string file(const std::string& more = "metric: {name: loss}\n") const {
        return "program: " + path.string() + "\nmethod: grid\nparameters: {x: {values: [1, 2]}}\n" + more;
    }

    TemporaryFolder folder;
    std::filesystem::path path;
};

bool speaks(const std::string& text, const std::string& name = "train.py") {
    return speaks_to_wandb_alone(Script(text, name).path);
}

}  // namespace

TEST_CASE("a script that talks only to W&B is recognized by its imports") {
    CHECK(speaks("import os\nimport wandb\n"));
    CHECK(speaks("if True:\n    import wandb as w\n"));
    CHECK(speaks("from wandb.integration.keras import WandbMetricsLogger\n"));
    CHECK(speaks("from lightning.pytorch.loggers import WandbLogger\n"));
    CHECK(speaks("import torch, random, wandb, einops\n"));
    CHECK(speaks("args = TrainingArguments(report_to=\"wandb\")\n"));
    CHECK_FALSE(speaks("import crescendo\nimport wandb\n"));
    CHECK_FALSE(speaks("import os, wandb\nchannel = int(os.environ['CRESCENDO_FD'])\n"));
    CHECK_FALSE(speaks("import wandbox  # instead of wandb\n"));
    CHECK_FALSE(speaks("import wandb\n", "train.sh"));
    CHECK_FALSE(speaks_to_wandb_alone("/nowhere/train.py"));
}

TEST_CASE("the adapter runs a W&B script, unless the file says how to run it or where its reports are") {
    const Script script("import wandb\n");
    const auto adapted = parse_sweep(script.file(), "sweep.yaml");

    CHECK(runs_wandb_adapter(adapted));
    CHECK(contains(remark_on(adapted, "program"), "calls wandb, so `python3 -m crescendo.wandb` runs it"));
    for (const char* more : {"metric: {name: loss}\ncommand: [torchrun, \"${program}\", \"${args}\"]\n",
                             "metric: {name: loss}\ncommand: [python3, -m, train, \"${program}\"]\n",
                             "metric: {name: loss}\ncommand: [\"${program}\", \"${args}\"]\n",
                             "metric: {name: loss}\nreport: {pattern: 'loss=(?P<loss>.*)'}\n",
                             "metric: {name: loss}\ngrow: in_place\nscheduler: {type: asha, max: 9}\n"}) {
        CAPTURE(more);
        CHECK_FALSE(runs_wandb_adapter(parse_sweep(script.file(more), "sweep.yaml")));
    }
    CHECK(
        contains(imported(script.file()),
                 "command: [\"${env}\", \"${interpreter}\", \"-m\", crescendo.wandb, \"${program}\", \"${args}\"]\n"));
}

TEST_CASE("the adapter runs a W&B script even if the command is W&B's default") {
    const Script script("import wandb\n");
    const std::string metric = "metric: {name: loss}\n";
    const auto usual = script.file(metric + "command:\n- ${env}\n- ${interpreter}\n- ${program}\n- ${args}\n");
    const auto another = script.file(metric + "command: [python3, \"${program}\", \"${args}\"]\n");

    const auto adapted = parse_sweep(usual, "sweep.yaml");

    CHECK(adapted.command ==
          std::vector<std::string>{"${env}", "${interpreter}", "-m", "crescendo.wandb", "${program}", "${args}"});
    CHECK(contains(remark_on(adapted, "command"), "which calls wandb, so `python3 -m crescendo.wandb` runs it"));
    CHECK_FALSE(runs_wandb_adapter(parse_sweep(another, "sweep.yaml")));
    const auto text = imported(usual);
    CHECK(
        contains(text,
                 "# the script calls wandb; what it logs is reported\n"
                 "command: [\"${env}\", \"${interpreter}\", \"-m\", crescendo.wandb, \"${program}\", \"${args}\"]\n"));
    CHECK(text.find("command:") == text.rfind("command:"));
}

TEST_CASE("the adapter runs a W&B script even if its command has another interpreter or other arguments") {
    const Script script("import wandb\n");
    const auto command_of = [&](const std::string& command) {
        return parse_sweep(script.file("metric: {name: loss}\ncommand: " + command + "\n"), "sweep.yaml").command;
    };
    using Words = std::vector<std::string>;

    CHECK(command_of("[\"${env}\", python, \"${program}\", data=small, \"${args_no_hyphens}\"]") ==
          Words{"${env}", "python", "-m", "crescendo.wandb", "${program}", "data=small", "${args_no_hyphens}"});
    CHECK(command_of("[\"${env}\", \"${interpreter}\", \"${program}\"]") ==  // wandb.config has the parameters
          Words{"${env}", "${interpreter}", "-m", "crescendo.wandb", "${program}"});
    CHECK(command_of("[\"${env}\", bash, \"${program}\"]") == Words{"${env}", "bash", "${program}"});
}

TEST_CASE("a resumed sweep keeps or omits the adapter as before, even if the script has changed") {
    for (const std::string command : {"", "command: [\"${env}\", \"${interpreter}\", \"${program}\", \"${args}\"]\n"}) {
        CAPTURE(command);
        for (const bool is_of_wandb : {true, false}) {
            const Script script(is_of_wandb ? "import wandb\n" : "import torch\n");
            const auto file = parse_sweep(script.file("metric: {name: loss}\n" + command), "sweep.yaml");
            const auto directory = create_sweep(script.folder / "s", file);
            std::ofstream(script.path) << (is_of_wandb ? "import torch\n" : "import wandb\n");

            CHECK(directory.read_sweep({}).command == file.command);
            CHECK(runs_wandb_adapter(directory.read_sweep({})) == is_of_wandb);
        }
    }
}

TEST_CASE("the adapter needs to know the metric") {
    CHECK(contains(error_of([] { parse_sweep(Script("import wandb\n").file(""), "sweep.yaml"); }),
                   "metric: is missing: it says which of the numbers passed to wandb.log"));
}
