#include "launch/report/comparison_section.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "launch/report/comparison.hpp"
#include "launch/report/sweep_data.hpp"
#include "tests/contains.hpp"
#include "tests/count.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// The section about two methods, with a sweep for each of these times. The sweep reached 0.9 at that time; if the time
/// is 0, it reported nothing.
std::string section_of(const std::vector<double>& seconds, const std::vector<double>& other_seconds) {
    const TemporaryFolder folder;
    std::vector<std::filesystem::path> directories;
    const auto record = [&](const std::string& name, const std::string& more, const std::vector<double>& times) {
        for (const double time : times) {
            directories.push_back(folder / (name + std::to_string(directories.size())));
            record_sweep(directories.back(), two_trials(static_cast<int>(directories.size()), more),
                         time > 0 ? std::vector<Report>{{time, 0, 1, 0.9}} : std::vector<Report>{});
        }
    };
    record("a", "", seconds);
    record("b", "max_retries: 1\n", other_seconds);
    std::vector<OrderedJson> sweeps;
    for (const auto& directory : directories) {
        sweeps.push_back(sweep_data(directory));
    }
    return comparison_section(comparison_json(directories), sweeps);
}

}  // namespace

TEST_CASE("methods are compared by what they took, in a sentence and in charts") {
    const auto section = section_of({4}, {8});

    CHECK(contains(section, "data-chart='gantt-common' data-sweep='1'"));
    CHECK(contains(section, "<b>0.5 times</b> as fast as"));
    CHECK(contains(section, "(with one sweep of a method, chance may explain this)"));
    CHECK_FALSE(contains(section, "speedup_low"));  // one seed has no interval
    CHECK(contains(section, "<h3>What it took</h3>"));
}

TEST_CASE("an interval without an upper end is shown with both ends") {
    const auto section = section_of({40, 60, 0}, {10, 20, 0});

    for (const char* name : {"seconds", "slot_hours", "speedup"}) {
        CHECK(contains(section, fmt::format("<th scope='col'>{0}_low</th><th scope='col'>{0}_high</th>", name)));
    }
    CHECK(contains(section, "<td>60</td><td>40</td><td>∞</td>"));
    CHECK_FALSE(contains(section, "cost_high"));  // no sweep has a price
}

TEST_CASE("a sweep without a value leaves the lower end of the metric's interval infinite") {
    auto comparison = OrderedJson{{"problem", ""}, {"target", nullptr}, {"first_sweeps", OrderedJson::array()}};
    comparison["chart"] = comparison["few_sweeps"] = "";
    comparison["methods"] = {
        {{"submission", "a"}, {"accuracy", 0.5}, {"accuracy_low", nullptr}, {"accuracy_high", 0.9}}};
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {});

    CHECK(contains(comparison_section(comparison, {sweep_data(folder / "a")}), "<td>0.5</td><td>−∞</td><td>0.9</td>"));
}

TEST_CASE("a page says which method is faster only if the interval leaves no doubt") {
    const auto sure = section_of({40, 50, 60}, {10, 20, 30});
    const auto unsure = section_of({40, 60, 0}, {10, 20, 0});
    const auto unknown = section_of({40, 0}, {10, 20});
    const auto one = section_of({40}, {10, 20, 30, 40, 50});  // how much others of the first method differ is unknown

    CHECK(contains(sure, "was <b>2.5 times</b> as fast as"));  // 50 s over 20 s
    CHECK(contains(sure, "(interval: 1.33 to 6)."));           // 40 / 30 and 60 / 10
    CHECK(contains(unsure, "the sweeps do not show whether <b>"));
    CHECK(contains(unsure, "3 times as fast (interval: 0 to ∞)."));  // 60 s over 20 s
    CHECK_FALSE(contains(unsure, "<b>3 times</b>"));
    CHECK(count(unsure, "2 of 3 of") == 2);
    CHECK(contains(one, "(with one sweep of a method, chance may explain this)"));
    CHECK_FALSE(contains(one, "interval: "));
    CHECK(contains(unknown, "have no ratio: at least half the sweeps of one missed it"));
}

TEST_CASE("intervals of two to four sweeps are not said to be of 95 %") {
    const auto few = section_of({40, 50}, {10, 20, 30});
    const auto enough = section_of({40, 50, 60, 70, 80}, {10, 20, 30, 40, 50});

    CHECK(contains(few, "What it took, with 95 % intervals over seeds (with 2 sweeps: 50 %)<"));
    CHECK_FALSE(contains(few, "(95 % interval: "));
    CHECK(contains(enough, "What it took, with 95 % intervals over seeds<"));
    CHECK(contains(enough, "(95 % interval: "));
    CHECK_FALSE(contains(few + enough, "chance may explain"));
}

TEST_CASE("each method has one chart of its slots, however many sweeps there are") {
    const auto section = section_of({40, 50, 60, 70, 80}, {10, 20});

    CHECK(count(section, "data-chart='gantt-common'") == 2);
    CHECK(contains(section, "data-chart='gantt-common' data-sweep='0'"));
    CHECK(contains(section, "data-chart='gantt-common' data-sweep='5'"));
    CHECK(section.find("<table class='methods'>") < section.find("data-chart='gantt-common'"));
}

TEST_CASE("sweeps that cannot be compared are shown side by side, with the reason") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {});
    record_sweep(folder / "b", "metric: {name: loss}\nparameters: {x: {value: 1}}\ncommand: [train]\n", {});
    const std::vector<std::filesystem::path> directories{folder / "a", folder / "b"};

    const auto section =
        comparison_section(comparison_json(directories), {sweep_data(directories[0]), sweep_data(directories[1])});

    CHECK(contains(section, "<p class='warning'>"));
    CHECK(count(section, "data-chart='gantt-common'") == 2);
}
