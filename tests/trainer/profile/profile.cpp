#include "trainer/profile/profile.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer::test;

namespace {

Json order_of(const Terms& terms, int rank, int size) {
    return {{"type", "profile"},
            {"trial", 0},
            {"generation", 0},
            {"rank", rank},
            {"size", size},
            {"batch_multiple", 1},
            {"max_resource", 100},
            {"seed", 1},
            {"settings", terms.settings},
            {"directory", terms.directory.string()},
            {"state", "new"},
            {"seconds", 0.02}};
}

std::set<std::string> parts_of(const Json& profiled) {
    std::set<std::string> names;
    for (const auto& [name, seconds] : profiled["parts"].items()) {
        CHECK(seconds.get<double>() >= 0);
        names.insert(name);
    }
    return names;
}

}  // namespace

TEST_CASE("a trainer measures the time of each part of a step and then trains as usual") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    std::filesystem::create_directory(terms.directory);
    const Json expected = FakeCrescendo(1, "crescendo-trainer").train({0}, "new", sweep.terms("other"), 2);
    Json order = order_of(terms, 0, 1);
    order["trace"] = (sweep.folder / "trace.json").string();

    crescendo.send(0, order);
    const Json profiled = crescendo.await(0, "profiled");

    CHECK(parts_of(profiled) == std::set<std::string>{"reading", "copy", "forward", "backward", "optimizer"});
    CHECK(profiled["steps"] >= 5);
    const auto batch = terms.settings["batch_size"].get<std::int64_t>();
    CHECK(profiled["group_batch"] == batch);
    CHECK(profiled["epoch_steps"] == (SweepFixture::num_samples + batch - 1) / batch);
    for (const char* number : {"step", "without_data", "without_model", "evaluation", "checkpoint", "flop", "matmul"}) {
        CAPTURE(number);
        CHECK(profiled[number].get<double>() > 0);
    }
    CHECK(std::filesystem::exists(terms.directory / "checkpoint.pt"));
    const Json trace = Json::parse(content(sweep.folder / "trace.json"));
    const auto count = [&](const char* name) {
        return std::ranges::count_if(trace["traceEvents"],
                                     [&](const Json& event) { return event.value("name", "") == name; });
    };
    CHECK(count("crescendo::optimizer") == 5);
    CHECK(count("crescendo::forward") >= 5);  // some steps run one more pass to measure the noise

    std::filesystem::remove(terms.directory / "checkpoint.pt");
    CHECK(crescendo.train({0}, "new", terms, 2)["metrics"] == expected["metrics"]);
}

TEST_CASE("the workers of a group are measured together, including their exchange") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"].erase("validation");
    std::filesystem::create_directory(terms.directory);

    for (int rank = 0; rank < 2; ++rank) {
        crescendo.send(rank, order_of(terms, rank, 2));
    }
    const Json first = crescendo.await(0, "profiled");
    const Json second = crescendo.await(1, "profiled");

    CHECK(parts_of(first).contains("reduction"));
    CHECK(first["steps"] == second["steps"]);
    CHECK(first["group_batch"] == terms.settings["batch_size"]);
    CHECK_FALSE(first.contains("evaluation"));
    CHECK(first.contains("checkpoint"));
    CHECK_FALSE(second.contains("checkpoint"));
    CHECK(first["flop"].get<double>() == second["flop"].get<double>());
}

TEST_CASE("a worker whose share of a batch has no samples is measured too") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["batch_size"] = 1;
    std::filesystem::create_directory(terms.directory);

    for (int rank = 0; rank < 2; ++rank) {
        crescendo.send(rank, order_of(terms, rank, 2));
    }

    for (int rank = 0; rank < 2; ++rank) {
        CHECK(crescendo.await_one_of(rank, {"profiled", "failed"})["type"] == "profiled");
    }
}
