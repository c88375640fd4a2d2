#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer::test;
using nlohmann::json;

TEST_CASE("crescendo-trainer --check answers on standard output") {
    const SweepFixture sweep;
    const auto request = (sweep.folder / "request.json").string();
    const auto answer = (sweep.folder / "answer.json").string();
    json settings = small_cnn(sweep.train);
    settings["lr"] = -1;
    std::ofstream(request) << json{{"settings", settings}, {"parameters", json::object()}};

    const int status = std::system((path_of("crescendo-trainer") + " --check < " + request + " > " + answer).c_str());

    CHECK(status == 0);
    std::ifstream in(answer);
    CHECK(json::parse(in)["problems"][0]["key"] == "trainer.lr");
}
