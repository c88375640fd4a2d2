#include "launch/sweep_file/command_macros.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

using Words = std::vector<std::string>;

const Config config{{"lr", 0.01}, {"width", std::int64_t{32}}, {"nesterov", true}, {"resume", false}, {"act", "relu"}};

Words expand(const Words& command) { return expand_command(command, "train.py", config); }

}  // namespace

TEST_CASE("${args} becomes one word for each parameter, in their order") {
    CHECK(expand({"${args}"}) == Words{"--lr=0.01", "--width=32", "--nesterov=True", "--resume=False", "--act=relu"});
    CHECK(expand({"${args_no_hyphens}"}) == Words{"lr=0.01", "width=32", "nesterov=True", "resume=False", "act=relu"});
}

TEST_CASE("a boolean flag is named when it is true and left out when it is false") {
    CHECK(expand({"${args_no_boolean_flags}"}) == Words{"--lr=0.01", "--width=32", "--nesterov", "--act=relu"});
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

TEST_CASE("${args_json} is one word with the types kept") {
    CHECK(expand({"${args_json}"}) == Words{R"({"lr":0.01,"width":32,"nesterov":true,"resume":false,"act":"relu"})"});
}

TEST_CASE("text without a macro is kept as it is, the shell's own $ too") {
    CHECK(expand({"bash", "-c", "echo $HOME $(date) $", ""}) == Words{"bash", "-c", "echo $HOME $(date) $", ""});
}

TEST_CASE("a value is not searched for macros again") {
    CHECK(expand_command({"${x}"}, "", {{"x", "${args}"}}) == Words{"${args}"});
}

TEST_CASE("an unknown macro is named with the nearest one") {
    CHECK_THROWS_WITH_AS(expand({"a", "${widht}"}),
                         "${widht} is neither a macro nor a parameter (did you mean 'width'?); there are args, "
                         "args_no_hyphens, args_no_boolean_flags, act, args_json, env, interpreter, lr, nesterov, "
                         "program, resume and width",
                         InvalidInput);
}

TEST_CASE("several arguments do not fit into one word") {
    CHECK_THROWS_WITH_AS(expand({"train.py ${args}"}),
                         "${args} becomes several arguments; make it a word of its own, or use ${args_json}",
                         InvalidInput);
}

TEST_CASE("a macro that is not closed, and a program that is not given, are errors") {
    CHECK_THROWS_WITH_AS(expand({"${lr"}), "'${lr' has a ${ without its }; close it", InvalidInput);
    CHECK_THROWS_WITH_AS(expand_command({"${program}"}, "", {}),
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

TEST_CASE("a command that is started before its trials lacks their parameters") {
    CHECK(expand_shared_command({"${interpreter}", "${program}", "${args}", "--epochs=9"}, "train.py") ==
          std::vector<std::string>{"python3", "train.py", "--epochs=9"});
    CHECK_THROWS_AS(expand_shared_command({"train", "--rate=${lr}"}, ""), InvalidInput);
}
