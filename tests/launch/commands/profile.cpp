#include <csignal>
#include <filesystem>
#include <set>

#include "tests/await.hpp"
#include "tests/launch/commands/measured_sweep.hpp"
#include "tests/launch/commands/old_sweep.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

/// A sweep whose trainer is a script that always measures the same.
class ProfiledSweep {
  public:
    ProfiledSweep() {
        write_file(sweep_.folder / "trainer",
                   "#!/bin/bash\nread -r order <&$CRESCENDO_FD; echo \"$order\" >> orders\n"
                   "echo '{\"type\":\"profiled\",\"trial\":0,\"steps\":9,\"group_batch\":64,\"epoch_steps\":10,"
                   "\"step\":0.5,\"parts\":{\"forward\":0.2,\"backward\":0.3},\"without_data\":0.5,"
                   "\"without_model\":0.1,\"flop\":1e9,\"matmul\":2e9}' >&$CRESCENDO_FD\nsleep 100\n");
    }

    Result run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "profile");
        return sweep_.run(arguments);
    }
    std::vector<Json> orders() const { return sweep_.orders(); }
    const TemporaryFolder& folder() const { return sweep_.folder; }

  private:
    MeasuredSweep sweep_;
};

}  // namespace

TEST_CASE("profile trains a trial's configuration for a while and shows where the time goes") {
    const ProfiledSweep sweep;

    const auto result = sweep.run({"s", "--trial", "1", "--seconds", "2"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.out.starts_with("trial 1:  "));
    CHECK(contains(result.out, "A step of 64 samples on 1 worker takes 500 ms"));
    CHECK(contains(result.out, "The processor limits this trial"));
    const auto order = sweep.orders().at(0);
    CHECK(order.at("type") == "profile");
    CHECK(order.at("trial") == 1);
    CHECK(order.at("seconds") == 2);
    CHECK(order.at("size") == 1);
    CHECK(order.at("settings").at("data").at("train") == "d.h5:/train");
    CHECK(!fs::exists(order.at("directory").get<std::string>()));  // it was only for a checkpoint
    CHECK(Json::parse(sweep.run({"s", "--format", "json"}).out).at("step") == 0.5);
}

TEST_CASE("profile measures several workers together, each on a slot of its own") {
    const ProfiledSweep sweep;

    const auto result = sweep.run({"s", "--workers", "2", "--slots", "2", "--trace", "t.json"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(contains(result.err, "wrote t.json"));
    auto orders = sweep.orders();
    REQUIRE(orders.size() == 2);
    std::ranges::sort(orders, {}, [](const Json& order) { return order.at("rank").get<int>(); });
    CHECK(orders[1].at("rank") == 1);
    CHECK(orders[1].at("size") == 2);
    CHECK(orders[1].at("trace") == (sweep.folder() / "t.json").string());
}

TEST_CASE("profile leaves nothing behind when it is interrupted") {
    const MeasuredSweep sweep;
    write_file(sweep.folder / "trainer", "#!/bin/bash\nread -r order <&$CRESCENDO_FD; echo > began\nsleep 100\n");
    fs::create_directory(sweep.folder / "tmp");
    const Variable temporary("TMPDIR", (sweep.folder / "tmp").string());
    const auto files = [&] {
        return std::set<fs::path>(fs::recursive_directory_iterator(sweep.folder / "s"),
                                  fs::recursive_directory_iterator());
    };
    const auto before = files();
    Command command(sweep.folder.path(), {"profile", "s", "--seconds", "60"});
    await("the trainer has its order", [&] { return fs::exists(sweep.folder / "began"); });

    command.signal(SIGINT);

    CHECK(command.wait() == 1);
    CHECK(contains(command.err(), "crescendo: interrupted"));
    CHECK(files() == before);
    CHECK(fs::is_empty(sweep.folder / "tmp"));
}

TEST_CASE("profile refuses what it cannot measure, and says why") {
    const ProfiledSweep sweep;
    const OldSweep of_a_program;

    const auto no_trial = sweep.run({"s", "--trial", "7"});
    const auto no_slots = sweep.run({"s", "--workers", "3", "--slots", "2"});
    const auto program = of_a_program.run({"profile", "s"});

    CHECK(no_trial.code == 2);
    CHECK(contains(no_trial.err, "s has 2 trials, numbered from 0; choose one of them"));
    CHECK(no_slots.code == 2);
    CHECK(contains(no_slots.err, "3 workers need a slot each, but this machine has 2; add --slots 3"));
    CHECK(program.code == 2);
    CHECK(contains(program.err, "command: crescendo cannot see the steps of another program"));
}
