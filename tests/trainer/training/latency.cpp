#include "trainer/training/latency.hpp"

#include <ATen/ATen.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/datasets/files.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/data/normalization.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::tests::Hdf5Writer;
using crescendo::tests::TemporaryFolder;

namespace {

/// Gives a sample the class that is nearest to the mean of its numbers.
struct Nearest : Model {
    Nearest() { register_parameter("unused", at::zeros({1})); }
    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
        return -(inputs.mean(1, /*keepdim=*/true) - at::arange(3)).abs();
    }
};

struct NearestSpec : ModelSpec {
    std::shared_ptr<Model> make(const Task& /*task*/) const override { return std::make_shared<Nearest>(); }
};

}  // namespace

TEST_CASE("p50 and p99 are the times within which 50% and 99% of the answers came") {
    std::vector<double> hundred(100);
    std::iota(hundred.rbegin(), hundred.rend(), 1.0);  // 100, 99, … 1

    const auto four = summary_of({4, 1, 2, 3});
    const auto many = summary_of(hundred);

    CHECK(four.samples == 4);
    CHECK(four.mean == 2.5);
    CHECK(four.p50 == 2);
    CHECK(four.p99 == 4);
    CHECK(many.p50 == 50);
    CHECK(many.p99 == 99);
    CHECK(summary_of({3}).p99 == 3);
    CHECK_THROWS_AS(summary_of({}), std::runtime_error);
}

TEST_CASE("a number that is not finite is reported with its data set and the remedy, or its sample is left out") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["model"] = "mlp";
    terms.settings["data"] = {{"train", write_numbers(sweep.folder / "numbers.h5", "train", 12)},
                              {"test", write_numbers(sweep.folder / "numbers.h5", "test", 12, /*nan_at=*/5)}};

    const auto order = [](const Terms& of) -> Json {
        return {{"type", "measure_latency"},
                {"trial", 0},
                {"settings", of.settings},
                {"resource", 2},
                {"checkpoint", ""},
                {"data", "test"},
                {"warm_ups", 0}};
    };

    crescendo.send(0, order(terms));

    const auto message = crescendo.await(0, "failed")["message"].get<std::string>();
    CAPTURE(message);
    CHECK(message.find("sample 5 of /test/inputs has a number that is NaN") != std::string::npos);
    CHECK(message.find("keep trains on them") != std::string::npos);

    terms.settings["data"]["nan"] = "skip";
    FakeCrescendo other(1, "crescendo-trainer");
    other.send(0, order(terms));
    CHECK(other.await(0, "latency")["samples"] == 11);
}

TEST_CASE("samples that do not fit into memory at once are answered in their order") {
    const TemporaryFolder folder;
    constexpr std::int64_t numbers = 3 << 20;  // of 8 bytes, so the second of three samples fills the block of 64 MiB
    {
        std::vector<double> values(3 * numbers);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<double>(i / numbers);
        }
        Hdf5Writer writer(folder / "large.h5");
        writer.add("/inputs", {3, numbers}, H5T_NATIVE_DOUBLE, values);
        writer.add("/targets", {3}, H5T_NATIVE_UCHAR, std::vector<unsigned char>{0, 1, 2});
    }
    const std::string location = (folder / "large.h5").string() + ":/";
    Settings settings = settings_of({{"metrics", "f1"}, {"data", {{"train", location}}}});
    settings.model = std::make_shared<NearestSpec>();
    DataCache data;
    const auto samples = data.set(location, settings.data);
    const auto device = make_cpu_device();
    const Task task{.input_shape = {numbers}, .target_shape = {}, .num_outputs = 3, .num_samples = 3};
    Trial trial(/*number=*/0, /*seed=*/1, settings, task, *device);
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    ControlChannel channel(ends[0]);
    Pulse pulse(channel);

    const auto answers = answer_one_at_a_time(trial, *samples, conversions(*samples, settings.data), settings.data.nan,
                                              /*num_warm_ups=*/1, pulse);

    ::close(ends[1]);
    CHECK(answers.seconds.size() == 3);
    CHECK(answers.sums.metrics == MetricSums{3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});  // each class once, and correct
}

TEST_CASE("a checkpoint's model answers each sample once and as accurately as in a batch") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"]["test"] = sweep.validation;  // 20 samples
    terms.checkpoint_at = 2;
    const Json report = crescendo.train({0}, "new", terms, 2);
    crescendo.leave({0}, /*save=*/false);
    Json order = {{"type", "measure_latency"},
                  {"trial", 0},
                  {"settings", terms.settings},
                  {"resource", 2},
                  {"checkpoint", (terms.directory / "checkpoint.pt").string()},
                  {"data", "test"},
                  {"warm_ups", 100}};

    crescendo.send(0, order);
    const Json trained = crescendo.await(0, "latency");
    order["checkpoint"] = "";
    crescendo.send(0, order);
    const Json random = crescendo.await(0, "latency");

    CHECK(trained["samples"] == 20);
    CHECK(trained["metrics"]["test_accuracy"] == report["metrics"]["val_accuracy"]);
    CHECK(trained["metrics"]["test_loss"].get<double>() ==
          doctest::Approx(report["metrics"]["val_loss"].get<double>()).epsilon(1e-5));
    CHECK(trained["p50"] > 0.0);
    CHECK(trained["p50"] <= trained["p99"]);
    CHECK(random["samples"] == 20);
    CHECK(random["metrics"].empty());

    order["data"] = "validation";
    order["resource"] = 3;
    order["checkpoint"] = (terms.directory / "checkpoint.pt").string();
    crescendo.send(0, order);
    CHECK(crescendo.await(0, "failed")["message"].get<std::string>().find("the checkpoint is from the report at 2") !=
          std::string::npos);
}
