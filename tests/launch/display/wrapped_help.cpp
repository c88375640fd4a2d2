#include "launch/display/wrapped_help.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace crescendo::launch;

namespace {
const std::string indent(30, ' ');
}

TEST_CASE("help is no wider than the terminal, and a wrapped description stays in its column") {
    const std::string help =
        "Run a sweep from the beginning, on this machine or on all nodes of an MPI job\n"
        "  --dir TEXT                  Folder for its results; default: the name of the sweep\n"
        "\n";

    CHECK(wrapped_help(help, 60) ==
          "Run a sweep from the beginning, on this machine or on all\n"
          "nodes of an MPI job\n"
          "  --dir TEXT                  Folder for its results;\n" +
              indent + "default: the name of the sweep\n\n");
    CHECK(wrapped_help(help, 200) == help);
}

TEST_CASE("help does not wrap long words, commands to be copied, or text without room") {
    const std::string command =
        "  srun --mpi=pmix --no-kill --ntasks-per-node=1 crescendo run sweep.yaml --dir /shared/first\n";
    const std::string word(90, 'x');

    CHECK(wrapped_help(command, 60) == command);
    CHECK(wrapped_help(word, 60) == word);
    CHECK(wrapped_help(indent + word, 60) == indent + word);
    CHECK(wrapped_help(indent + "two words", 35) == indent + "two words");
    CHECK(wrapped_help("", 60).empty());
}
