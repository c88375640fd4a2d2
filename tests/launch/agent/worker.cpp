#include "launch/agent/worker.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "launch/slots/node_resources.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

protocol::Report report_from(const char* line) { return launch::report_from(TrialId{3}, parse_line(line)); }

}  // namespace

TEST_CASE("a report is of the trial that the worker trains, whatever else a program writes in it") {
    const auto report = report_from(R"({"resource":1,"metrics":{"loss":0.5,"note":"x"},"trial":"mine","epoch":7})");

    CHECK(report.trial == TrialId{3});
    CHECK(report.resource == Resource{1});
    CHECK(report.metrics.at("loss") == 0.5);
    CHECK(report.metrics.size() == 1);  // "x" is no number
}

TEST_CASE("the share of time that a program waited for data counts where it is a number, within its bounds") {
    CHECK(report_from(R"({"resource":1,"metrics":{},"data_wait":0.25})").data_wait == 0.25);
    CHECK(report_from(R"({"resource":1,"metrics":{},"data_wait":25})").data_wait == 1.0);
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"data_wait":"much"})").data_wait.has_value());
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"data_wait":null})").data_wait.has_value());
}

TEST_CASE("a program's clock counts where it is a number that a clock can show") {
    CHECK(report_from(R"({"resource":1,"metrics":{},"seconds":41.2,"evaluated":3})").seconds == 41.2);
    CHECK(report_from(R"({"resource":1,"metrics":{},"seconds":41.2,"evaluated":3})").evaluated == 3.0);
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"seconds":-1})").seconds.has_value());
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"seconds":"1m"})").seconds.has_value());
}

TEST_CASE("what a program says of its steps counts where it is possible") {
    const auto report =
        report_from(R"({"resource":1,"metrics":{},"step_seconds":0.025,"group_batch":256,"noise_scale":810.5})");
    CHECK(report.step_seconds == 0.025);
    CHECK(report.group_batch == 256.0);
    CHECK(report.noise_scale == 810.5);

    const auto wrong = report_from(R"({"resource":1,"metrics":{},"step_seconds":0,"group_batch":0,"noise_scale":-1})");
    CHECK_FALSE(wrong.step_seconds.has_value());
    CHECK_FALSE(wrong.group_batch.has_value());
    CHECK_FALSE(wrong.noise_scale.has_value());
}

TEST_CASE("a report without a resource or metrics is refused") {
    CHECK_THROWS(report_from(R"({"metrics":{}})"));
    CHECK_THROWS(report_from(R"({"resource":1})"));
    CHECK_THROWS(report_from(R"({"resource":"one","metrics":{}})"));
}

TEST_CASE("a slot is called by its GPU, else by its cores, else by its node") {
    WorkerOptions options;
    options.first_slot = SlotId{8};
    options.slots = {
        {.gpu = "3", .cpus = {0, 1}}, {.gpu = "", .cpus = {4, 5, 6, 7}}, {.gpu = ""}, {.gpu = "1", .slots_on_gpu = 2}};

    CHECK(device_name(options, SlotId{8}) == "GPU 3 of " + host_name());
    CHECK(device_name(options, SlotId{9}) == "cores 4-7 of " + host_name());
    CHECK(device_name(options, SlotId{10}) == host_name());
    CHECK(device_name(options, SlotId{11}) == "GPU 1 of " + host_name() + ", which 2 slots share");
}

TEST_CASE("NCCL is told the name of the interface, and not how names begin") {
    WorkerOptions options;
    options.slots.resize(1);
    options.setup.interface = "eth1";

    const auto environment = device_environment(options, SlotId{0});

    CHECK(std::ranges::count(environment, std::pair<std::string, std::string>("GLOO_SOCKET_IFNAME", "eth1")) == 1);
    CHECK(std::ranges::count(environment, std::pair<std::string, std::string>("NCCL_SOCKET_IFNAME", "=eth1")) == 1);
}

TEST_CASE("last words are the end of a log, from the beginning of a line") {
    const TemporaryFolder folder;
    const auto log = (folder / "log").string();
    CHECK(last_words(log).empty());
    std::ofstream(log) << std::string(2000, 'x') << "\nout of luck\n\n";

    CHECK(last_words(log) == "out of luck");
    CHECK(last_words(log, 2001) == "out of luck");
    CHECK(last_words(log, 2008) == "luck");
    CHECK(last_words(log, 5000).empty());
}

TEST_CASE("a pipe has no last words, and is not waited for") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    CHECK(last_words(folder / "pipe").empty());
}
