#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

namespace {

/// A program whose loss is its seed, so that each seed has a different loss.
constexpr const char* report_seed =
    "echo '{\"resource\": 1, \"metrics\": {\"loss\": '$CRESCENDO_SEED', \"x\": '${1#--x=}'}}' >&$CRESCENDO_FD";

/// A sweep `s` that has ended.
struct EndedSweep {
    explicit EndedSweep(const std::string& scheduler = "scheduler: {type: fifo, max: 1}\n") {
        write_sweep(folder.path(), report_seed);
        auto sweep = content_of(folder / "sweep.yaml");
        const auto replace = [&](const std::string& what, const std::string& by) {
            sweep.replace(sweep.find(what), what.size(), by);
        };
        replace("[bash, train.sh]", "[bash, train.sh, \"${args}\"]");
        replace("scheduler: {type: fifo, max: 1}\n", scheduler);
        write_file(folder / "sweep.yaml", sweep);
        const auto ran = run({"run", "sweep.yaml"});
        REQUIRE_MESSAGE(ran.code == 0, ran.err);
    }

    Result run(const std::vector<std::string>& arguments) const { return run_crescendo(folder.path(), arguments); }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("retrain trains the best configuration with other seeds and reports mean and spread") {
    const EndedSweep sweep;
    const auto best = sweep.run({"best", "s", "--format", "json"}).json();
    const auto folder = "s/retrain/" + std::to_string(best.at("trial").get<int>());

    const auto result = sweep.run({"retrain", "s", "--seeds", "3", "--slots", "all", "--format", "json"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    const auto spread = result.json();
    REQUIRE(spread.size() == 2);
    CHECK(spread.at(0).at("metric") == "loss");
    CHECK(spread.at(0).at("seeds") == 3);
    CHECK(spread.at(0).at("std") > 0);
    CHECK(spread.at(1).at("std") == 0.0);  // x
    CHECK(spread.at(1).at("mean").get<double>() == doctest::Approx(best.at("metrics").at("x").get<double>()));
    CHECK(spread.at(0).at("min") != best.at("metrics").at("loss"));  // another seed
    CHECK(sweep.run({"best", folder, "--format", "json"}).json().at("config") == best.at("config"));

    const auto more = sweep.run({"retrain", "s", "--seeds", "4", "--format", "json"});  // continues
    REQUIRE_MESSAGE(more.code == 0, more.err);
    CHECK(more.json().at(0).at("seeds") == 4);
    CHECK(sweep.run({"trials", folder, "--format", "json"}).json().size() == 4);
}

TEST_CASE("retrain trains programs that decide themselves when they end") {
    const EndedSweep sweep("");

    const auto result = sweep.run({"retrain", "s", "--seeds", "2", "--format", "json"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.json().at(0).at("seeds") == 2);
}

TEST_CASE("retrain refuses a trial that does not exist") {
    const EndedSweep sweep;

    const auto result = sweep.run({"retrain", "s", "--trial", "9"});

    CHECK(result.code == 2);
    CHECK(result.err.find("s has no trial 9; `crescendo trials s` lists them") != std::string::npos);
    CHECK_FALSE(fs::exists(sweep.folder / "s/retrain"));
}
