#include "launch/replay/replay.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

TEST_CASE("results differ if a trial ended differently or is missing, whatever the other values in their rows") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 4, 0.5);
    REQUIRE(stage.run() == Outcome::finished);
    const auto differences = [&](const std::string& results) {
        std::ofstream(stage.directory.results()) << results;
        return replay(stage.file, stage.directory).differences.size();
    };
    const std::string columns = "trial,status,resource,note\n";

    CHECK(differences(columns + "0,finished,4,\"two\nlines\"\n") == 0);
    CHECK(differences(columns + "0,finished,3,x\n") == 1);
    CHECK(differences(columns) == 1);
    CHECK(differences(columns + "0,finished,4,x\n1,finished,4,x\n") == 1);
    CHECK(differences(columns + "0,finished\n") == 1);
}
