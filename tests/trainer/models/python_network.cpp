#include "trainer/models/python_network.hpp"

#include <doctest/doctest.h>

#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer;

TEST_CASE("an exported Python network ends with a function that builds it with the trial's settings") {
    const crescendo::tests::TemporaryFolder folder;

    const auto name = write_python_network(folder.path(), "class Net: ...\n", "Net",
                                           {{"shape", {1, 28}}, {"deep", true}, {"act", "relu"}, {"share", 0.5}});

    CHECK(name == "model.py");
    CHECK(test::content(folder / "model.py") ==
          "class Net: ...\n\n\ndef make_model():\n    \"\"\"The network of the trial, with random weights.\"\"\"\n"
          "    return Net(\n        shape=[1,28],\n        deep=True,\n        act=\"relu\",\n        share=0.5,\n    )\n");
}
