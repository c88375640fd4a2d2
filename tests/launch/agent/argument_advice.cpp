#include "launch/agent/argument_advice.hpp"

#include <doctest/doctest.h>

using crescendo::launch::advice_on_arguments;
using doctest::Contains;

TEST_CASE("a program that does not know an option gets advice on the names of parameters") {
    for (const char* words : {"train.py: error: unrecognized arguments: --hidden_size=4",
                              "train: unrecognized option '--hidden_size=4'", "Error: No such option: --hidden_size"}) {
        CHECK(advice_on_arguments(words).c_str() == Contains("the exact name of the program's option, including"));
    }
}

TEST_CASE("a program that refuses a parameter's value gets advice on the values that it takes") {
    const auto advised = [](const std::string& value) {
        return advice_on_arguments("train.py: error: argument --bs: invalid int value: '" + value + "'");
    };

    CHECK(advised("183.81").c_str() == Contains("\nthe program expects whole numbers; add `distribution: q_uniform`"));
    CHECK(advised("[8,8]").c_str() == Contains("for argparse's nargs, write ${args_argparse}"));
    CHECK(advised("None").c_str() == Contains("\nnull is passed as None; with ${args_argparse}"));
    CHECK(advised("adam").empty());
    CHECK(advice_on_arguments("error: Parser key \"wd\":\n  Expected a <class 'float'>\n  Given value: None").c_str() ==
          Contains("jsonargparse expects null; list it as text: values: [\"null\", …]"));
    CHECK(advice_on_arguments("train.py: error: argument --betas: expected 2 arguments").c_str() ==
          Contains("a list is passed as one JSON argument"));
}

TEST_CASE("a program whose options have hyphens gets the macro that writes them") {
    CHECK(advice_on_arguments("train.py: error: unrecognized arguments: hidden_size=4 lr=0.1").c_str() ==
          Contains("\nits options start with hyphens; write ${args} instead"));
}

TEST_CASE("the advice for options with one hyphen does not say that a parameter has the wrong name") {
    CHECK(advice_on_arguments("usage: train.py [-h] [-b B] [-lr LR]\n"
                              "train.py: error: unrecognized arguments: --lr=0.1 --b=8") ==
          "\nits options have one hyphen; instead of ${args}, write each of them, as in -lr, \"${lr}\"");
}
