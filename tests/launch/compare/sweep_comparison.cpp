#include "launch/compare/sweep_comparison.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// Two methods with three sweeps each. Seconds to 0.9: slow 40, 60, missed; fast 10, 20, 30.
class Recorded {
  public:
    Recorded() {
        int seed = 0;
        for (const double seconds : {40.0, 60.0}) {
            record(folder_ / "slow" / std::to_string(++seed), {{5, 0, 1, 0.5}, {seconds, 0, 2, 0.95}});
        }
        record(folder_ / "slow" / "3", {{5, 0, 1, 0.8}});
        for (const double seconds : {10.0, 20.0, 30.0}) {
            record(folder_ / "fast" / std::to_string(++seed), {{5, 0, 1, 0.5}, {seconds, 1, 2, 0.9}});
        }
        methods_ =
            read_methods({folder_ / "slow", folder_ / "fast"}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});
    }

    const std::vector<Method>& methods() const { return methods_; }
    const SweepSpec& spec() const { return methods_[0].runs[0].file.spec; }
    Prices prices() const {
        std::ofstream(folder_ / "prices.csv") << "submission,usd_per_hour\n" << methods_[1].name << ",360\n";
        return Prices(folder_ / "prices.csv");
    }

  private:
    void record(const std::filesystem::path& path, const std::vector<Report>& reports) {
        record_sweep(path, two_trials(1), reports);
    }

    TemporaryFolder folder_;
    std::vector<Method> methods_;
};

}  // namespace

TEST_CASE("methods are compared by the median over sweeps, and a miss is infinite") {
    const Recorded recorded;

    const auto compared = compare_methods(recorded.methods(), {}, {.target = 0.9});

    REQUIRE(compared.size() == 2);
    CHECK(compared[0].num_sweeps == 3);
    CHECK(compared[0].num_reached == 2);
    CHECK(compared[0].seconds.median == 60);  // of 40, 60 and infinity
    CHECK(compared[0].seconds.interval == analysis::Interval{40, analysis::missed});
    CHECK(compared[0].slot_hours.median == doctest::Approx(120.0 / 3600));  // two slots
    CHECK(compared[0].best_loss.median == -0.95);
    CHECK_FALSE(compared[0].cost);
    CHECK(compared[0].speedup->median == 1);
    CHECK(compared[1].seconds.median == 20);
    CHECK(compared[1].seconds.interval == analysis::Interval{10, 30});
    CHECK(compared[1].speedup->median == 3);
}

TEST_CASE("another baseline turns the speed-up around") {
    const Recorded recorded;

    const auto compared =
        compare_methods(recorded.methods(), {}, {.target = 0.9, .baseline = recorded.methods()[1].name});

    CHECK(compared[0].speedup->median == doctest::Approx(1.0 / 3));
    CHECK(compared[1].speedup->median == 1);
}

TEST_CASE("a price turns the time into a cost, for the method that has a price") {
    const Recorded recorded;

    const auto compared = compare_methods(recorded.methods(), recorded.prices(), {.target = 0.9});

    CHECK_FALSE(compared[0].cost);
    CHECK(compared[1].cost->median == doctest::Approx(2));  // 20 s of 0.1 dollars
}

TEST_CASE("a method that the prices leave out has no cost, not that of its sweep files beside the others' dollars") {
    const TemporaryFolder folder;
    for (const char* name : {"one", "two"}) {
        record_sweep(folder / name, two_trials(1, "price: {slot_hour: 3600}\n"), {{10, 0, 1, 0.5}});
    }
    const auto methods =
        read_methods({folder / "one", folder / "two"}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});
    std::ofstream(folder / "prices.csv") << "submission,usd_per_hour\n" << methods[0].name << ",360\n";

    const auto by_files = compare_methods(methods, {}, {});
    const auto by_prices = compare_methods(methods, Prices(folder / "prices.csv"), {});

    CHECK(by_files[1].cost->median == doctest::Approx(20));  // 10 s of two slots
    CHECK(by_prices[0].cost->median == doctest::Approx(1));  // 10 s of 0.1 dollars
    CHECK_FALSE(by_prices[1].cost);
}

TEST_CASE("sweeps that are not over, or that lost their sampler, are named") {
    const TemporaryFolder folder;
    record_sweep(folder / "open", two_trials(1), {{10, 0, 1, 0.5}});
    record_sweep(folder / "over", two_trials(2), {{10, 0, 9, 0.5}, {20, 1, 9, 0.6}});  // both trials came to max
    const auto read = [&](const std::vector<std::filesystem::path>& directories) {
        return read_methods(directories, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});
    };
    auto lost = read({folder / "over"});
    lost.front().runs.front().has_lost_sampler = true;

    CHECK(cautions(read({folder / "open", folder / "over"})) ==
          std::vector{"sweeps that have not ended and may still improve (1 of 2): " + (folder / "open").string()});
    CHECK(cautions(read({folder / "over"})).empty());
    REQUIRE(cautions(lost).size() == 1);
    CHECK(cautions(lost).front().starts_with(
        "sweeps whose sampler failed, so that configurations are random (1 of 1): "));
}

TEST_CASE("sweeps of a method that share a seed are named, because they are no independent repetitions") {
    const TemporaryFolder folder;
    for (const auto& [name, seed] : {std::pair("m/1", 7), {"m/2", 7}, {"m/3", 8}, {"other", 7}}) {
        record_sweep(folder / name, two_trials(seed), {{10, 0, 9, 0.5}, {20, 1, 9, 0.6}});
    }
    const auto methods =
        read_methods({folder / "m", folder / "other"}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});

    CHECK(cautions(methods) ==
          std::vector{"sweeps that repeat a seed of their method, so that intervals are too narrow (1 of 4): " +
                      (folder / "m/2").string()});
}

TEST_CASE("a method is once as fast as itself, for sure") {
    const Recorded recorded;

    const auto compared = compare_methods(recorded.methods(), {}, {.target = 0.9});

    CHECK(compared[0].speedup->median == 1);
    CHECK_FALSE(compared[0].speedup->interval);
    CHECK(compared[1].speedup->interval);
}

TEST_CASE("without a target, each sweep is measured by its own best value") {
    const Recorded recorded;

    const auto compared = compare_methods(recorded.methods(), {}, {});

    CHECK(compared[0].num_reached == 3);
    CHECK(compared[0].seconds.median == 40);  // 40, 60, 5
    CHECK_FALSE(compared[0].speedup);
}

TEST_CASE("a method that missed on most of its sweeps has empty cells and no speed-up") {
    const Recorded recorded;

    const auto table = methods_table(compare_methods(recorded.methods(), {}, {.target = 0.93}), recorded.spec());
    const auto csv = table.print(Format::csv);

    CHECK(
        csv.starts_with("submission,sweeps,reached,accuracy,accuracy_low,accuracy_high,seconds,seconds_low,"
                        "seconds_high,slot_hours,slot_hours_low,slot_hours_high,idle_slot_hours,idle_slot_hours_low,"
                        "idle_slot_hours_high,cost,cost_low,cost_high,speedup,speedup_low,speedup_high\n"));
    CHECK(csv.find("slow,3,2,0.95,0.8,0.95,60,40,,") != std::string::npos);
    // With only three sweeps, the baseline may have missed as well, so the speed-up has no upper end.
    CHECK(csv.find("fast,3,0,0.9,0.9,0.9,,,,,,,0,0,0,,,,0,0,\n") != std::string::npos);
}

TEST_CASE("the text for people shows medians with their intervals") {
    const Recorded recorded;

    const auto text = methods_text(compare_methods(recorded.methods(), {}, {.target = 0.9}), recorded.spec());

    CHECK(text.find("2 of 3") != std::string::npos);
    CHECK(text.find("60 (40 to ∞)") != std::string::npos);
    CHECK(text.find("20 (10 to 30)") != std::string::npos);
    CHECK(text.ends_with("Medians over sweeps, with 95 % intervals by bootstrap (with 3 sweeps: 75 %).\n"));
}

TEST_CASE("an interval of two to four sweeps says how seldom it covers the median, at most that of the fewest") {
    CHECK(few_sweeps_text({2, 10}) == " (with 2 sweeps: 50 %)");
    CHECK(few_sweeps_text({10, 4, 1}) == " (with 4 sweeps: 88 %)");
    CHECK(few_sweeps_text({1, 5}).empty());  // 94 %
}

TEST_CASE("a target that no sweep reached is refused with the best value that there is") {
    const Recorded recorded;

    const auto error = error_of([&] { compare_methods(recorded.methods(), {}, {.target = 0.99}); });

    CHECK(error.find("--target 0.99: no sweep reached it") != std::string::npos);
    CHECK(error.find("the best accuracy is 0.95, in " + recorded.methods()[0].runs[0].directory.string()) !=
          std::string::npos);
    CHECK(error_of([&] {
              compare_methods(recorded.methods(), {}, {.target = 0.9, .baseline = "fats"});
          }).find("--baseline: 'fats' is not one of the submissions") != std::string::npos);
}

TEST_CASE("sweeps without any report count as missed, unless no sweep has a report") {
    const TemporaryFolder folder;
    record_sweep(folder / "none", two_trials(1), {});
    record_sweep(folder / "some", two_trials(1), {{5, 0, 1, 0.5}});
    const auto read = [&](const std::vector<std::filesystem::path>& directories) {
        return read_methods(directories, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});
    };

    const auto methods = read({folder / "none", folder / "some"});
    const auto compared = compare_methods(methods, {}, {.target = 0.5});

    CHECK(compared[0].seconds.median == analysis::missed);
    CHECK_FALSE(compared[0].seconds.interval);  // one sweep
    CHECK(methods_text(compared, methods[0].runs[0].file.spec).find("0 of 1") != std::string::npos);
    CHECK(error_of([&] {
              compare_methods(read({folder / "none"}), {}, {.target = 0.5});
          }).find("no sweep has reported accuracy yet") != std::string::npos);
}

TEST_CASE("a metric with the name of a column of the table has a column of its own") {
    const Recorded recorded;
    auto spec = recorded.spec();
    spec.metric = "cost";

    const auto table = methods_table(compare_methods(recorded.methods(), recorded.prices(), {.target = 0.9}), spec);

    const auto rows = OrderedJson::parse(table.print(Format::json));
    CHECK(rows[1].at("metrics.cost") == 0.9);
    CHECK(rows[1].at("metrics.cost_low") == 0.9);
    CHECK(rows[1].at("cost") == doctest::Approx(2));  // 20 s of 0.1 dollars
    CHECK(rows[1].size() == 21);                      // the measures, each with two ends, and the first three columns
}
