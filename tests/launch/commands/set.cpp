#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("set extends a sweep that has ended, once it is resumed") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    const auto seconds = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json().at("elapsed_seconds");

    const auto set = run_crescendo(folder.path(), {"set", "s", "run_cap=3", "max_retries=1"});

    CHECK(set.code == 0);
    CHECK(set.out.find("run_cap=3, max_retries=1 from now on") != std::string::npos);
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("limits").at("run_cap") == 3);
    CHECK(status.at("elapsed_seconds") == seconds);  // the sweep was not running
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json().size() == 3);
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"});
    CHECK(replayed.json().at("differences") == 0);
}

TEST_CASE("set refuses keys that may not change and values that make no sense, and writes nothing") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    for (const auto& [setting, message] : {std::pair{"parameters.x.max=2", "parameters.x.max cannot be set"},
                                           {"slots=4", "pass --slots to `crescendo resume`"},
                                           {"run_cap=many", "run_cap: 'many' is text"},
                                           {"run_cap=null", "nothing ends this sweep"},
                                           {"budget.time=", "budget.time has no value here; write it after the ="},
                                           {"budget.time=# x", "or budget.time=null to remove the limit"},
                                           {"budget.time= ", "or budget.time=null to remove the limit"},
                                           {"run_cap", "sets nothing; write a name and its value, like run_cap=200"}}) {
        CAPTURE(message);
        const auto result = run_crescendo(folder.path(), {"set", "s", "max_retries=1", setting});
        CHECK(result.code == 2);
        CHECK_MESSAGE(result.err.find(message) != std::string::npos, result.err);
    }
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("limits").at("max_retries") == 0);
}
