#include "launch/sweep_file/command/command_macros.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

using Words = std::vector<std::string>;

const Config flat_config{
    {"lr", 0.01}, {"width", std::int64_t{32}}, {"nesterov", true}, {"resume", false}, {"act", "relu"}};

Words expand(const Words& command) { return expand_command(command, {"train.py", flat_config}); }

}  // namespace

TEST_CASE("${args} becomes one word for each parameter, in their order") {
    CHECK(expand({"${args}"}) == Words{"--lr=0.01", "--width=32", "--nesterov=True", "--resume=False", "--act=relu"});
    CHECK(expand({"${args_no_hyphens}"}) == Words{"lr=0.01", "width=32", "nesterov=True", "resume=False", "act=relu"});
}

TEST_CASE("a boolean flag is named when it is true and left out when it is false") {
    CHECK(expand({"${args_no_boolean_flags}"}) == Words{"--lr=0.01", "--width=32", "--nesterov", "--act=relu"});
}

TEST_CASE("a list becomes several words for argparse's nargs, and null leaves the argument at its default") {
    const Macros macros{"",
                        {{"betas", JsonValue("[0.9,0.999]")},
                         {"clip", JsonValue("null")},
                         {"amp", true},
                         {"lr", -0.5},
                         {"model", JsonValue(R"({"depth":2})")}}};

    CHECK(expand_command({"${args_argparse}"}, macros) ==
          Words{"--betas", "0.9", "0.999", "--amp", "--lr=-0.5", R"(--model={"depth":2})"});
}

TEST_CASE("arguments may have the value as a separate word, or the prefixes of Hydra") {
    const Macros macros{"", {{"lr", 0.01}, {"nesterov", true}}};

    CHECK(expand_command({"${args_no_equals}"}, macros) == Words{"--lr", "0.01", "--nesterov", "True"});
    CHECK(expand_command({"${args_append_hydra}"}, macros) == Words{"+lr=0.01", "+nesterov=True"});
    CHECK(expand_command({"${args_override_hydra}"}, macros) == Words{"++lr=0.01", "++nesterov=True"});
}

TEST_CASE("Hydra gets the entries of a map by their paths, and null as YAML writes it") {
    const Macros macros{"",
                        {{"sizes", JsonValue("[64,32]")},
                         {"optimizer", JsonValue(R"({"name":"sgd","decay":{"rate":0.1}})")},
                         {"seed", JsonValue("null")}}};

    CHECK(expand_command({"${args_no_hyphens}"}, macros) ==
          Words{"sizes=[64,32]", "optimizer.decay.rate=0.1", "optimizer.name=sgd", "seed=null"});
    CHECK(expand_command({"${args_override_hydra}"}, macros)[2] == "++optimizer.name=sgd");
}

TEST_CASE("lists and maps are passed as JSON, null as Python writes it, and the entries of a map have macros") {
    const Macros macros{
        "", {{"sizes", JsonValue("[64,32]")}, {"optimizer", JsonValue(R"({"lr":0.1})")}, {"seed", JsonValue("null")}}};

    CHECK(expand_command({"${args}"}, macros) == Words{"--sizes=[64,32]", R"(--optimizer={"lr":0.1})", "--seed=None"});
    CHECK(expand_command({"${optimizer.lr}"}, macros) == Words{"0.1"});
    CHECK(expand_command({"${args_json}"}, macros) ==
          Words{R"({"sizes":[64,32],"optimizer":{"lr":0.1},"seed":null})"});
}

TEST_CASE("a command may use macros about its trial, unless a parameter has the same name") {
    Macros macros{"", {{"seed", std::int64_t{7}}}};
    macros.trial = {
        {"trial", "3"}, {"trial_dir", "/s/trials/3"}, {"seed", "99"}, {"slots", "2"}, {"max_resource", "27"}};

    CHECK(expand_command({"-n${slots}", "${max_resource}", "${trial}:${seed}", "${trial_dir}/x"}, macros) ==
          Words{"-n2", "27", "3:7", "/s/trials/3/x"});
    CHECK(expand_command({"${args_json_file}"}, macros) == Words{"/s/trials/3/params.json"});
}

TEST_CASE("an environment variable in a command must be set") {
    Macros macros;
    macros.variables = [](const char* name) { return std::string_view(name) == "DATA" ? "/data" : nullptr; };

    CHECK(expand_command({"--data=${envvar:DATA}/x"}, macros) == Words{"--data=/data/x"});
    CHECK_THROWS_WITH_AS(expand_command({"${envvar:HOEM}"}, macros),
                         "the environment variable HOEM is not set; export it, or write its value here", InvalidInput);
}

TEST_CASE("W&B's default command runs the program with python3") {
    CHECK(expand({"${env}", "${interpreter}", "${program}"}) == Words{"/usr/bin/env", "python3", "train.py"});
}

TEST_CASE("one value may stand inside a larger word") {
    CHECK(expand({"--rate=${lr},${width}", "${act}"}) == Words{"--rate=0.01,32", "relu"});
}

TEST_CASE("booleans are written as Python writes them, wherever they are passed") {
    CHECK(expand({"--flags=${nesterov},${resume}"}) == Words{"--flags=True,False"});
    CHECK(expand({"${args_no_boolean_flags}"})[2] == "--nesterov");
}

TEST_CASE("${args_json} is one word that keeps the types") {
    CHECK(expand({"${args_json}"}) == Words{R"({"lr":0.01,"width":32,"nesterov":true,"resume":false,"act":"relu"})"});
}

TEST_CASE("text without a macro stays as it is, including the shell's own $") {
    CHECK(expand({"bash", "-c", "echo $HOME $(date) $", ""}) == Words{"bash", "-c", "echo $HOME $(date) $", ""});
}

TEST_CASE("a value is not searched for macros again") {
    CHECK(expand_command({"${x}"}, {"", {{"x", "${args}"}}}) == Words{"${args}"});
}

TEST_CASE("the message about an unknown macro suggests the nearest one") {
    CHECK_THROWS_WITH_AS(
        expand({"a", "${widht}"}),
        "${widht} is neither a macro nor a parameter (did you mean 'width'?); use one of args, args_no_equals, "
        "args_no_hyphens, args_no_boolean_flags, args_argparse, args_append_hydra, args_override_hydra, act, "
        "args_json, env, interpreter, lr, nesterov, program, resume and width",
        InvalidInput);
}

TEST_CASE("several arguments do not fit into one word") {
    CHECK_THROWS_WITH_AS(
        expand({"train.py ${args}"}),
        "${args} stands for several arguments; make it a separate word, or use ${args_json}; with a shell, write "
        "[bash, -c, 'source venv/bin/activate && exec python3 train.py \"$@\"', bash, \"${args}\"]",
        InvalidInput);
}

TEST_CASE("an unclosed macro and a missing program are errors") {
    CHECK_THROWS_WITH_AS(expand({"${lr"}), "'${lr' has a ${ without a }; close it", InvalidInput);
    CHECK_THROWS_WITH_AS(expand_command({"${program}"}, {}),
                         "${program} has no value; add `program: train.py` to the file, or write the program here",
                         InvalidInput);
}

TEST_CASE("an error has the key of its word") {
    try {
        expand({"a", "b", "${c}"});
        FAIL("nothing was thrown");
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "command[2]");
    }
}

TEST_CASE("a command that starts before its trials does not get their parameters") {
    CHECK(expand_shared_command({"${interpreter}", "${program}", "${args}", "--epochs=9"}, "train.py") ==
          std::vector<std::string>{"python3", "train.py", "--epochs=9"});
    CHECK_THROWS_AS(expand_shared_command({"train", "--rate=${lr}"}, ""), InvalidInput);
}

TEST_CASE("variables that a command names but the environment lacks are reported") {
    ::setenv("CRESCENDO_TEST_SET", "x", 1);
    const std::string problem =
        "the environment variable CRESCENDO_TEST_A is not set; export it, or write its value here";

    CHECK(unset_variables({"a", "--x=${envvar:CRESCENDO_TEST_SET}", "${args}"}).empty());
    const auto remarks =
        unset_variables({"a", "${envvar:CRESCENDO_TEST_SET}${envvar:CRESCENDO_TEST_A}", "${envvar:CRESCENDO_TEST_B}"});

    REQUIRE(remarks.size() == 2);
    CHECK(remarks[0].key == "command[1]");
    CHECK(remarks[0].text == problem);
    CHECK(remarks[1].key == "command[2]");
    CHECK_THROWS_WITH(expand_shared_word("${envvar:CRESCENDO_TEST_A}", 1, ""), problem.c_str());
}
