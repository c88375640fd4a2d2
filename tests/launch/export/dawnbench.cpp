#include "launch/export/export_formats.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "launch/directory/latency_record.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// A trial's report after `hours` of training.
struct Line {
    int trial;
    int resource;
    double hours;
    std::map<std::string, double> metrics;
};

/// A recorded sweep of two trials, and requests to export it.
struct Recorded {
    explicit Recorded(const std::vector<Line>& lines, const std::string& more = "") {
        record_sweep(folder / "s", two_trials(1, more), {});
        auto journal = Journal::open(folder / "s/journal.jsonl");
        double time = 1000;
        for (const auto& line : lines) {
            journal.append({{"event", "trial_reported"},
                            {"trial", line.trial},
                            {"resource", line.resource},
                            {"loss", -line.metrics.at("accuracy")},
                            {"time", time += 1},
                            {"clock", {line.hours * 3600, 5.0}},
                            {"metrics", line.metrics}});
        }
        journal.sync();
    }

    Exported entry(const std::string& task, ExportRequest request) const {
        request.task = task;
        request.date = "2026-11-30";
        return dawnbench_entry(request);
    }

    /// A complete request.
    ExportRequest request(const RecordedSweep& sweep) const {
        ExportRequest request{.sweep = sweep};
        request.entry.author = "Jane Doe";
        request.entry.author_email = "jane@example.org";
        request.entry.framework = "PyTorch 2.11";
        request.entry.model = "ResNet_9";
        request.entry.hardware = "1 K80 / 30 GB (Google)";
        return request;
    }

    TemporaryFolder folder;
};

const std::vector<Line> two_epochs{{0, 1, 0.5, {{"accuracy", 0.596}}},
                                   {1, 1, 0.25, {{"accuracy", 0.75}}},
                                   {1, 2, 0.75, {{"accuracy", 0.9375}}}};

}  // namespace

TEST_CASE("the best trial becomes a table of epochs, hours and accuracy in percent") {
    const Recorded recorded(two_epochs);
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);

    const auto exported = recorded.entry("CIFAR10", recorded.request(sweep));

    REQUIRE(exported.files.size() == 2);
    const auto& [name, table] = exported.files[1];
    CHECK(name == "CIFAR10/train/Jane-Doe_ResNet-9_1-K80-30-GB-Google_PyTorch-2.11.tsv");
    CHECK(table == "epoch\thours\ttop1Accuracy\n1\t0.25\t75\n2\t0.75\t93.75\n");
    REQUIRE(exported.remarks.size() == 2);
    CHECK(exported.remarks[0] ==
          "DAWNBench accepts entries for training with a top1Accuracy of at least 94; this one has 93.75");
    CHECK(exported.remarks[1].find("no entry for inference: trial 1 has no latency measurement") != std::string::npos);
}

TEST_CASE("an entry shows the sweep as it was read, even if the sweep has continued since") {
    const Recorded recorded(two_epochs);
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);
    Journal::open(recorded.folder / "s/journal.jsonl")
        .append({{"event", "trial_reported"},
                 {"trial", 1},
                 {"resource", 3},
                 {"loss", -0.96875},
                 {"time", 1010},
                 {"clock", {3600, 5.0}},
                 {"metrics", {{"accuracy", 0.96875}}}});

    const auto exported = recorded.entry("CIFAR10", recorded.request(sweep));

    CHECK(exported.files[1].second == "epoch\thours\ttop1Accuracy\n1\t0.25\t75\n2\t0.75\t93.75\n");
}

TEST_CASE("an entry has the fields that DAWNBench requires and other known fields") {
    const Recorded recorded(two_epochs, "entry: {author: not me, code_url: https://x, misc: {rate: cosine}}\n");
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);
    auto request = recorded.request(sweep);
    request.entry.cost_per_hour = 0.9;

    const auto exported = recorded.entry("CIFAR10", request);

    const auto& [name, text] = exported.files[0];
    CHECK(name.ends_with("_PyTorch-2.11.json"));
    const auto json = Json::parse(text);
    CHECK(json.at("version") == "v1.0");
    CHECK(json.at("author") == "Jane Doe");
    CHECK(json.at("authorEmail") == "jane@example.org");
    CHECK(json.at("codeURL") == "https://x");
    CHECK(json.at("hardware") == "1 K80 / 30 GB (Google)");
    CHECK(json.at("costPerHour") == 0.9);
    CHECK(json.at("timestamp") == "2026-11-30");
    CHECK(json.at("misc").at("rate") == "cosine");
    CHECK(json.at("misc").at("workers") == 1);
    CHECK(json.at("misc").at("parameters").contains("x"));
}

TEST_CASE("an entry has the sweep's own price unless it gives another") {
    const Recorded recorded(two_epochs, "price: {node_hour: 3}\n");
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);

    const auto exported = recorded.entry("CIFAR10", recorded.request(sweep));

    CHECK(Json::parse(exported.files[0].second).at("costPerHour") == 1.5);  // one of the node's two slots
}

TEST_CASE("ImageNet has two accuracies, and SQuAD's score is a share") {
    const Recorded recorded({{0, 1, 1, {{"accuracy", 80}, {"five", 95}}}});
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);
    auto request = recorded.request(sweep);
    request.metrics = {{"top1Accuracy", "accuracy"}, {"top5Accuracy", "five"}};

    const auto imagenet = recorded.entry("ImageNet", request);
    const auto squad = recorded.entry("SQuAD", recorded.request(sweep));

    CHECK(imagenet.files[1].second == "epoch\thours\ttop1Accuracy\ttop5Accuracy\n1\t1\t80\t95\n");
    CHECK(imagenet.remarks.size() == 1);  // only that there is no entry for inference
    CHECK(squad.files[1].second == "epoch\thours\tf1Score\n1\t1\t0.8\n");
}

TEST_CASE("ImageNet's columns are the metrics that crescendo-trainer reports") {
    const Recorded recorded({{0, 1, 1, {{"accuracy", 0.5}, {"val_accuracy", 0.75}, {"val_top5", 0.9375}}}});
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);

    const auto imagenet = recorded.entry("ImageNet", recorded.request(sweep));

    CHECK(imagenet.files[1].second == "epoch\thours\ttop1Accuracy\ttop5Accuracy\n1\t1\t75\t93.75\n");
}

TEST_CASE("a trial whose latency was measured becomes an entry for inference too") {
    const Recorded recorded(two_epochs, "price: {node_hour: 3}\n");  // the entry's price counts instead
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);
    LatencyRecord record;
    record.hardware = "EPYC";
    record.latency.trial = TrialId{1};
    record.latency.mean = 0.0045;
    record.latency.metrics["test_accuracy"] = 0.9375;
    std::filesystem::create_directories(sweep.directory.trial(TrialId{1}));
    write_latency(sweep.directory, record);
    auto request = recorded.request(sweep);
    request.entry.cost_per_hour = 0.8;

    const auto exported = recorded.entry("CIFAR10", request);

    REQUIRE(exported.files.size() == 3);
    const auto& [name, text] = exported.files[2];
    CHECK(name == "CIFAR10/inference/Jane-Doe_ResNet-9_1-K80-30-GB-Google_PyTorch-2.11.json");
    const auto json = Json::parse(text);
    CHECK(json.at("version") == "v1.0");
    CHECK(json.at("latency") == doctest::Approx(4.5));  // milliseconds
    CHECK(json.at("cost") == doctest::Approx(1e-6));    // 0.8 dollars an hour x 4.5 ms
    CHECK(json.at("top1Accuracy") == 93.75);
    CHECK(json.at("misc").at("processor") == "EPYC");
    CHECK(exported.remarks.size() == 2);  // neither entry is good enough
}

TEST_CASE("another trial can be exported, and an epoch may be several units of resource") {
    const Recorded recorded(two_epochs);
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);
    auto request = recorded.request(sweep);
    request.trial = 0;
    request.resource_of_epoch = 2;

    CHECK(recorded.entry("CIFAR10", request).files[1].second == "epoch\thours\ttop1Accuracy\n0.5\t0.5\t59.6\n");
}

TEST_CASE("the error for an unusable request says what is wrong and what to do") {
    const Recorded recorded({{0, 1, 1, {{"accuracy", 180}, {"loss", 3}}}});
    const RecordedSweep sweep(recorded.folder / "s", Reports::all);
    const auto error = [&](const std::string& task, const auto& change) {
        auto request = recorded.request(sweep);
        change(request);
        return error_of([&] { recorded.entry(task, request); });
    };
    const auto none = [](ExportRequest&) {};

    CHECK(error("MNIST", none).find("DAWNBench has no task MNIST; it has CIFAR10, ImageNet, SQuAD") == 0);
    CHECK(error("CIFAR10", none).find("accuracy ranges from 180 to 180") == 0);
    CHECK(error("ImageNet", none).find("add --metric top1Accuracy=NAME with one of accuracy, loss") !=
          std::string::npos);
    CHECK(error("CIFAR10", [](auto& request) { request.metrics = {{"top1Accuracy", "acc"}}; })
              .find("does not report 'acc'; it reports accuracy, loss") != std::string::npos);
    CHECK(error("CIFAR10", [](auto& request) { request.trial = 1; }).find("trial 1 has not reported") == 0);
    CHECK(error("CIFAR10", [](auto& request) { request.trial = 9; }).find("has no trial 9") != std::string::npos);
    CHECK(error("CIFAR10", [](auto& request) { request.entry.author_email.reset(); })
              .find("add --author-email \"jane@example.org\", or write them under entry:") != std::string::npos);
    CHECK(error("CIFAR10", [](auto& request) { request.entry.author = "/"; }).find("neither a letter nor a digit") !=
          std::string::npos);
}
