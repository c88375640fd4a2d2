#include "trainer/data/task.hpp"

#include <torch/types.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/check.hpp"
#include "datasets/inspection/statistics.hpp"
#include "tests/datasets/files.hpp"
#include "tests/num_reads.hpp"
#include "tests/trainer/grid.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/batch.hpp"
#include "trainer/data/data_cache.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::datasets::SampleSet;
using crescendo::tests::Hdf5Writer;
using crescendo::tests::num_reads;
using doctest::Contains;
namespace datasets = crescendo::datasets;

namespace {

Task task_of(const std::string& location, nlohmann::json section = nlohmann::json::object()) {
    DataCache data;
    section["data"]["train"] = location;
    return describe_task(settings_of(section), data);
}

/// Default settings for a model.
Settings on(const DataSettings& data, const std::string& model = "cnn") {
    Settings settings = settings_of({{"model", model}});
    settings.data = data;
    return settings;
}

/// Samples 0 to 3.
Batch first_batch(DataCache& data, DataSettings settings, const std::string& model = "cnn") {
    settings.shuffle = datasets::Shuffle::none;
    auto& stream = data.training(settings);
    stream.enter({.group_batch = 4});
    auto slice = stream.next();
    return make_batch(*slice, describe_task(on(settings, model), data), *make_cpu_device());
}

}  // namespace

TEST_CASE("classes are counted in the targets unless the settings give their number") {
    const SweepFixture sweep;

    const Task counted = task_of(sweep.train);

    CHECK(counted.kind == Task::Kind::classification);
    const std::vector<std::int64_t> image{8, 8};
    CHECK(counted.input_shape == image);
    CHECK(counted.num_outputs == 4);
    CHECK(counted.num_samples == 96);
    CHECK(task_of(sweep.train, {{"classes", 10}}).num_outputs == 10);
}

TEST_CASE("class_balance weights each class by its number of samples, in addition to any given weights") {
    const LossSettings balanced{.class_balance = 1};
    const ClassCounts counts{1, 0, 3, 4};  // 8 samples of 3 classes; class 4 has none either

    const auto even = class_weights(balanced, counts, 5);
    const auto rooted = class_weights({.class_weights = {2, 1, 1, 1, 1}, .class_balance = 0.5}, counts, 5);

    CHECK(even[0] == doctest::Approx(8.0 / 3));
    CHECK(even[2] == doctest::Approx(8.0 / 9));
    CHECK(even[3] == doctest::Approx(8.0 / 12));
    CHECK(even[1] == 1.0);
    CHECK(even[4] == 1.0);
    const double mean = (1 + std::sqrt(3.0) + 2) / 8;
    CHECK(rooted[0] == doctest::Approx(2 / mean));
    CHECK(rooted[3] == doctest::Approx(0.5 / mean));
}

TEST_CASE("class weights reach the task and must match its number of classes") {
    const SweepFixture sweep;

    CHECK(task_of(sweep.train).class_weights.empty());
    CHECK(task_of(sweep.train, {{"class_balance", 1}}).class_weights.size() == 4);
    const nlohmann::json two{{"class_weights", {1, 5}}};
    const auto problems = misfits_of_task(settings_of(two), task_of(sweep.train, two));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.class_weights");
    CHECK(problems[0].message.c_str() == Contains("it has 2 numbers, but there are 4 classes"));
    Settings numbers = on({.train = sweep.train}, "autoencoder");
    numbers.loss.class_balance = 1;
    DataCache data;
    const auto of_numbers = misfits(numbers, *data.set(sweep.train, numbers.data), "trainer.data.train");
    REQUIRE(of_numbers.size() == 1);
    CAPTURE(of_numbers[0].message);
    CHECK(of_numbers[0].key == "trainer.class_balance");
}

TEST_CASE("counting classes does not read the inputs") {
    const SweepFixture sweep;
    const auto samples = SampleSet::open(without_inputs(sweep.train));

    CHECK(task_of(sweep.train).num_outputs == 4);

    std::vector<std::byte> image(64);
    std::vector<std::byte> label(1);
    CHECK_THROWS_WITH(samples->read(0, 1, image, label), Contains("inputs"));
}

TEST_CASE("classes are counted once, whatever the chunks of the inputs, and a changed file is noticed") {
    const SweepFixture sweep;
    const std::int64_t count = 4096;
    const auto file = sweep.folder / "many.h5";
    const auto in_one_chunk = write_images(file, "coarse", count, /*seed=*/3, /*chunk_samples=*/count);
    const auto location = with_targets_of(in_one_chunk, write_images(file, "fine", count, 3, /*chunk_samples=*/1));
    const DataSettings settings{.train = location};
    DataCache data;
    const auto of_one_set = data.set(location, settings);  // opening the set also reads

    const auto before = num_reads();
    const auto counts = data.classes(location, settings);
    const auto counted = num_reads();
    data.classes(location, settings);
    const auto again = num_reads();

    CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == count);
    CHECK(counts.size() == 4);
    CHECK(counted - before <= 10);
    CHECK(again - counted <= 2);  // num_reads() itself reads
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now());
    CHECK_THROWS_WITH(data.classes(location, settings), Contains("was written to"));
}

TEST_CASE("targets of floating-point numbers make a regression") {
    const SweepFixture sweep;

    const Task task = task_of(write_numbers(sweep.folder / "numbers.h5", "train", 10));

    CHECK(task.kind == Task::Kind::regression);
    CHECK(task.num_outputs == 2);
}

TEST_CASE("an autoencoder predicts targets the size of its inputs, or else reconstructs its inputs") {
    const SweepFixture sweep;
    const nlohmann::json settings{{"model", "autoencoder"}};
    const std::string waves = write_waves(sweep.folder / "waves.h5", "train", 8, 1);

    const Task prediction = task_of(waves, settings);
    const Task reconstruction = task_of(without_targets(waves), settings);

    CHECK(prediction.kind == Task::Kind::regression);
    CHECK(prediction.num_outputs == 64);
    CHECK(reconstruction.kind == Task::Kind::reconstruction);
    CHECK(reconstruction.target_shape == reconstruction.input_shape);
    CHECK(reconstruction.num_outputs == 128);
    CHECK(task_of(sweep.train, settings).kind == Task::Kind::reconstruction);  // its targets are classes
}

TEST_CASE("reconstruction targets are the inputs that the model sees") {
    const SweepFixture sweep;
    DataCache data;

    const Batch batch = first_batch(data, {.train = without_targets(sweep.train)}, "autoencoder");

    CHECK(at::equal(batch.targets, batch.inputs.flatten(1)));
}

TEST_CASE("the model gets bytes as numbers from 0 to 1 and classes as int64") {
    const SweepFixture sweep;
    DataCache data;

    const Batch batch = first_batch(data, {.train = sweep.train});

    CHECK(batch.inputs.sizes() == at::IntArrayRef({4, 8, 8}));
    CHECK((batch.inputs.scalar_type() == at::kFloat));  // doctest cannot print it
    CHECK(batch.inputs.min().item<float>() >= 0.0F);
    CHECK(batch.inputs.max().item<float>() <= 249.0F / 255.0F);
    CHECK((batch.inputs * 255).sub((batch.inputs * 255).round()).abs().max().item<float>() < 1e-4F);
    CHECK((batch.targets.scalar_type() == at::kLong));
    CHECK(batch.targets.sizes() == at::IntArrayRef({4}));
}

TEST_CASE("the model gets floating-point numbers as they are") {
    const SweepFixture sweep;
    DataCache data;

    const Batch batch = first_batch(data, {.train = write_numbers(sweep.folder / "numbers.h5", "train", 10)});

    CHECK(batch.inputs[2][0].item<float>() == 2.0F);
    CHECK(batch.targets[2][1].item<float>() == -2.0F);
}

TEST_CASE("numbers are normalised by the statistics of the training samples or by given numbers") {
    const SweepFixture sweep;
    const auto train = write_numbers(sweep.folder / "numbers.h5", "train", 10);
    DataSettings settings{.train = train};
    settings.standardize = true;
    DataCache data;

    CHECK_THROWS_WITH_AS(data.training(settings), Contains("run: crescendo data stats "), crescendo::InvalidInput);
    datasets::keep_statistics(train, datasets::compute_statistics(train, {}));
    const Batch standard = first_batch(data, settings);
    settings.normalize["inputs"] = datasets::Normalization{{1.0}, {2.0}};
    const Batch given = first_batch(data, settings);
    settings.normalize["inputs"] = datasets::Normalization{{1.0, 2.0}, {2.0}};

    // Sample i has the inputs {i, 1, i / 2}. The numbers 0 to 9 have the mean 4.5 and the spread √8.25; a constant has
    // the spread 1.
    CHECK(standard.inputs[2][0].item<float>() == doctest::Approx((2 - 4.5) / std::sqrt(8.25)));
    CHECK(standard.inputs[2][1].item<float>() == 0.0F);
    CHECK(standard.targets[2][0].item<float>() == doctest::Approx((4 - 9) / std::sqrt(33.0)));
    CHECK(given.inputs[2][0].item<float>() == 0.5F);
    CHECK(given.targets[2][0].item<float>() == standard.targets[2][0].item<float>());
    CHECK_THROWS_WITH_AS(data.training(settings), Contains("2 numbers are given as means of"), crescendo::InvalidInput);
}

TEST_CASE("several inputs stack as channels if height and width agree, and otherwise form one row of numbers") {
    const SweepFixture sweep;
    const auto location = write_numbers(sweep.folder / "numbers.h5", "train", 10);
    DataSettings mixed{.train = location};
    mixed.inputs = {"inputs", "targets"};
    DataSettings images{.train = sweep.train};
    images.inputs = {"inputs", "inputs"};
    DataCache data;

    const Task numbers = describe_task(on(mixed), data);
    const Task channels = describe_task(on(images), data);

    CHECK(numbers.input_shape == std::vector<std::int64_t>{5});
    CHECK(first_batch(data, mixed).inputs[2][3].item<float>() == 4.0F);  // {2, 1, 1} and {4, -2}
    const std::vector<std::int64_t> stacked{2, 8, 8};
    CHECK(channels.input_shape == stacked);
    const Batch batch = first_batch(data, images);
    CHECK(batch.inputs.select(1, 0).equal(batch.inputs.select(1, 1)));
}

TEST_CASE("a cnn refuses inputs that do not stack, and a class must be the only target") {
    const SweepFixture sweep;
    const Settings settings =
        on({.train = sweep.train, .inputs = {"inputs", "targets"}, .targets = {"targets", "targets"}});
    DataCache data;

    const auto problems = misfits(settings, *data.set(sweep.train, settings.data), "trainer.data.train");

    REQUIRE(problems.size() == 2);
    CHECK(problems[0].message.c_str() == Contains("one of several targets holds integers"));
    CHECK(problems[1].message.c_str() == Contains("a sample is 8x8 and a single number"));
}

TEST_CASE("labels with axes of length 1 are refused with the selection to write") {
    const SweepFixture sweep;
    const auto train = (sweep.folder / "pcam.h5").string() + ":/";
    {
        Hdf5Writer writer(sweep.folder / "pcam.h5");
        writer.add("/inputs", {2, 3}, H5T_NATIVE_FLOAT, std::vector<float>(6));
        writer.add("/y", {2, 1, 1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{0, 1});
    }
    const auto problems_of = [&](const std::string& targets) {
        const Settings settings = settings_of({{"model", "mlp"}, {"data", {{"train", train}, {"targets", targets}}}});
        DataCache data;
        return misfits(settings, *data.set(train, settings.data), "trainer.data.train");
    };

    const auto problems = problems_of("y");

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message.c_str() == Contains("Select its only number: targets: \"y[:, 0, 0]\""));
    CHECK(problems_of("y[:, 0, 0]").empty());
}

TEST_CASE("binary cross entropy is refused for standardized targets") {
    const SweepFixture sweep;
    const auto numbers = write_numbers(sweep.folder / "numbers.h5", "train", 10);
    const auto problems_of = [&](const nlohmann::json& normalize, const std::string& model, const std::string& train) {
        const Settings settings =
            settings_of({{"model", model}, {"loss", "bce"}, {"data", {{"train", train}, {"normalize", normalize}}}});
        DataCache data;
        return misfits(settings, *data.set(train, settings.data), "trainer.data.train");
    };

    const auto problems = problems_of("standard", "mlp", numbers);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.loss");
    CHECK(problems[0].message.c_str() == Contains("set data.normalize: {targets: none}, or use mse"));
    CHECK(problems_of({{"targets", "standard"}}, "mlp", numbers).size() == 1);
    CHECK(problems_of("standard", "autoencoder", without_targets(sweep.train)).size() == 1);
    CHECK(problems_of({{"inputs", "standard"}}, "mlp", numbers).empty());
    CHECK(problems_of({{"targets", {{"scale", 0.5}, {"offset", 0}}}}, "mlp", numbers).empty());
    CHECK(task_of(numbers, {{"loss", "bce"}}).wants_shares);
    CHECK_FALSE(task_of(numbers).wants_shares);
}

TEST_CASE("rows are weighted by latitude, in targets and in the outputs of an autoencoder") {
    const SweepFixture sweep;
    const auto train = write_grid(sweep.folder / "era5.nc", 8, {90, 60, 30, 0, 0, -30, -60, -90});
    const auto row_weights = [&](nlohmann::json data) {
        data["latitude"] = "latitude";
        return task_of(train, {{"model", "autoencoder"}, {"data", data}}).row_weights;
    };

    const auto of_targets = row_weights({{"inputs", "t"}, {"targets", "t[:, 1]"}});

    CHECK(of_targets.size() == 8);
    CHECK(of_targets[1] / of_targets[3] == doctest::Approx(0.5));
    CHECK(row_weights({{"inputs", "t"}}) == of_targets);  // there are no `targets` in the file
    CHECK(task_of(train, {{"model", "autoencoder"}, {"data", {{"inputs", "t"}}}}).row_weights.empty());
}

TEST_CASE("augmentation that moves rows to other latitudes is refused if rows are weighted by latitude") {
    const SweepFixture sweep;
    const auto train = write_grid(sweep.folder / "era5.nc", 8, {60, 30, 0, -30});
    const auto problem_of = [&](const AugmentationSettings& augmentation, const std::string& latitude) -> std::string {
        Settings settings = on({.train = train, .inputs = {"t"}, .latitude = latitude}, "autoencoder");
        settings.augmentation = augmentation;
        DataCache data;
        const auto problems = misfits(settings, *data.set(train, settings.data), "trainer.data.train");
        return problems.empty() ? "" : problems.front().key;
    };

    CHECK(problem_of({.flip = Flip::vertical}, "latitude") == "trainer.flip");
    CHECK(problem_of({.flip = Flip::both}, "latitude") == "trainer.flip");
    CHECK(problem_of({.crop_padding = 1}, "latitude") == "trainer.crop_padding");
    CHECK(problem_of({.flip = Flip::horizontal, .cutout = 1}, "latitude") == "");
    CHECK(problem_of({.flip = Flip::both, .crop_padding = 1}, "") == "");
}

TEST_CASE("a task survives a round trip through JSON") {
    const SweepFixture sweep;
    Task task = task_of(sweep.train, {{"class_balance", 0.5}});
    task.row_weights = {0.1, 1.9};
    task.wants_shares = true;

    CHECK(nlohmann::json(task).get<Task>() == task);
}
