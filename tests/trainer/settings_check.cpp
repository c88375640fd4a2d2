#include "trainer/settings_check.hpp"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/datasets/files.hpp"
#include "tests/trainer/grid.hpp"
#include "tests/trainer/plain_catalogue.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "trainer/data/data_cache.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::tests::Hdf5Writer;
using crescendo::tests::name_classes;
using crescendo::tests::TemporaryFolder;
using nlohmann::json;

namespace {

/// Settings for the plain model on `train` and, unless empty, `validation`.
json plain(const std::string& train, const std::string& validation = {}) {
    json settings = small_cnn(train, validation);
    settings["model"] = "plain";
    return settings;
}

std::vector<Problem> problems_of(const json& settings, const json& parameters = json::object()) {
    return check_settings({{"settings", settings}, {"parameters", parameters}}, plain_catalogue());
}

/// Writes a set of grey images with these classes; returns its location.
std::string write_classes(const std::filesystem::path& file, const std::vector<unsigned char>& classes) {
    Hdf5Writer writer(file);
    writer.add("/inputs", {classes.size(), 8, 8}, H5T_NATIVE_UCHAR, std::vector<unsigned char>(classes.size() * 64));
    writer.add("/targets", {classes.size()}, H5T_NATIVE_UCHAR, classes);
    return file.string() + ":/";
}

std::vector<std::string> keys(const json& settings, const json& parameters = json::object()) {
    std::vector<std::string> all;
    for (const auto& problem : problems_of(settings, parameters)) {
        all.push_back(problem.key);
    }
    return all;
}

}  // namespace

TEST_CASE("good settings and parameters have no problem") {
    const SweepFixture sweep;

    CHECK(keys(plain(sweep.train, sweep.validation), {{"lr", {1e-4, 0.3}}, {"width", {16.0, 32.0}}}).empty());
}

TEST_CASE("a metric that no trial reports is found before training, and the message lists the others") {
    const SweepFixture sweep;
    json settings = plain(sweep.train, sweep.validation);
    settings["metrics"] = "f1";
    const auto problems_with = [&](const char* metric) {
        return check_settings({{"settings", settings}, {"metric", metric}}, plain_catalogue());
    };

    for (const auto* metric : {"train_loss", "val_loss", "val_accuracy", "val_f1"}) {
        CHECK_MESSAGE(problems_with(metric).empty(), metric);
    }
    CHECK(problems_with("val_acc") ==
          std::vector<Problem>{{"metric.name",
                                "no trial reports 'val_acc', so none can be judged; they report "
                                "train_loss, val_loss, val_accuracy, val_f1"}});
    settings = plain(sweep.train);
    CHECK(problems_with("val_loss") ==
          std::vector<Problem>{{"metric.name",
                                "no trial reports 'val_loss', so none can be judged; they report "
                                "train_loss, and more with data.validation"}});
}

TEST_CASE("each value of each parameter is tried, and unknown parameters are named") {
    const SweepFixture sweep;

    const auto found = keys(plain(sweep.train), {{"momentum", {0.0, 1.5}}, {"depth", {1, 9}}, {"beta", {0.9}}});

    CHECK(found == std::vector<std::string>{"parameters.beta", "parameters.depth", "parameters.momentum"});
}

TEST_CASE("problems of settings and of all data sets are listed together") {
    const SweepFixture sweep;
    json settings = plain((sweep.folder / "absent.h5").string() + ":/train", sweep.folder / "data.h5:/none");
    settings["optimizer"] = "sdg";

    CHECK(keys(settings) ==
          std::vector<std::string>{"trainer.optimizer", "trainer.data.train", "trainer.data.validation"});
}

TEST_CASE("a problem of a model with every data set is listed once") {
    const SweepFixture sweep;
    json settings = plain(sweep.train, sweep.validation);
    settings["depth"] = 4;

    CHECK(keys(settings) == std::vector<std::string>{"trainer.depth"});
}

TEST_CASE("samples without targets are refused for a model that does not reconstruct its inputs") {
    const SweepFixture sweep;
    const auto problems = problems_of(plain(without_targets(sweep.train)));

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.train");
    CHECK(problems[0].message.find("there are no targets for the plain to learn") != std::string::npos);
}

TEST_CASE("bytes and wider numbers cannot both be inputs unless the settings say how they are scaled") {
    const TemporaryFolder folder;
    const auto train = write_classes(folder / "bytes.h5", {0, 1});
    {
        Hdf5Writer writer(folder / "wide.h5");
        writer.add("/inputs", {2, 8, 8}, H5T_NATIVE_INT64, std::vector<std::int64_t>(2 * 64));
        writer.add("/targets", {2}, H5T_NATIVE_UCHAR, std::vector<unsigned char>{0, 1});
    }
    json settings = plain(train, (folder / "wide.h5").string() + ":/");

    const auto problems = problems_of(settings);

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.validation");
    CHECK(problems[0].message.find("wide.h5:/: its inputs are int64, but those of " + train +
                                   " are uint8. Without data.normalize, bytes") != std::string::npos);
    settings["data"]["normalize"] = "none";
    CHECK(keys(settings).empty());
    settings["data"]["normalize"] = {{"inputs", {{"scale", 1.0 / 255}}}};
    CHECK(keys(settings).empty());
}

TEST_CASE("classes and real numbers cannot both be targets") {
    const SweepFixture sweep;
    {
        Hdf5Writer writer(sweep.folder / "real.h5");
        writer.add("/inputs", {4, 8, 8}, H5T_NATIVE_UCHAR, std::vector<unsigned char>(4 * 8 * 8));
        writer.add("/targets", {4}, H5T_NATIVE_FLOAT, std::vector<float>(4));
    }

    const auto problems = problems_of(plain(sweep.train, (sweep.folder / "real.h5").string() + ":/"));

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.validation");
    CHECK(problems[0].message.find("its targets are real numbers, but those of") != std::string::npos);
}

TEST_CASE("classes that are missing from the training set are found before training, with their samples") {
    const SweepFixture sweep;  // classes 0 to 3
    DataCache data;
    const auto in_validation = data.classes(sweep.validation, {});
    std::string train;  // the samples before the first one of class 3
    for (int end = 1; data.classes(sweep.train + "[0:" + std::to_string(end) + "]", {}).size() < 4; ++end) {
        train = sweep.train + "[0:" + std::to_string(end) + "]";
    }
    const auto in_train = data.classes(train, {});
    json settings = plain(train, sweep.validation);
    settings["data"]["test"] = sweep.validation;

    const auto problems = problems_of(settings);

    REQUIRE(problems.size() == 2);
    CHECK(problems[0].key == "trainer.data.validation");
    CHECK(problems[1].key == "trainer.data.test");
    const auto& message = problems[0].message;
    CHECK_MESSAGE(message.find(sweep.validation + " has ") == 0, message);
    CHECK(message.find(std::to_string(in_validation.at(3))) != std::string::npos);
    CHECK(message.find(" of class 3, but " + train) != std::string::npos);
    settings["classes"] = 4;
    CHECK(keys(settings).empty());
    settings["classes"] = 3;
    settings["data"]["train"] = sweep.train;
    CHECK(keys(settings).front() == "trainer.classes");
}

TEST_CASE("a missing class between the classes of the training set is found, too") {
    const TemporaryFolder folder;
    const auto train = write_classes(folder / "train.h5", {0, 2, 2, 0});
    json settings = plain(train, write_classes(folder / "validation.h5", {0, 1, 1, 2}));

    const auto problems = problems_of(settings);

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.validation");
    CHECK(problems[0].message == (folder / "validation.h5").string() + ":/ has 2 samples of class 1, but " + train +
                                     " has no sample of these, so no trial can learn them; add them there, or leave "
                                     "them out here");
    settings["classes"] = 3;
    CHECK(keys(settings).empty());
}

TEST_CASE("sets whose class numbers have different meanings are found before training") {
    const TemporaryFolder folder;
    const auto train = write_classes(folder / "train.h5", {0, 1, 2});
    const auto validation = write_classes(folder / "validation.h5", {0, 1});
    name_classes(folder / "train.h5", "/targets", {"cat", "dog", "horse"});
    CHECK(keys(plain(train, validation)).empty());
    name_classes(folder / "validation.h5", "/targets", {"cat", "dog"});
    CHECK(keys(plain(train, validation)).empty());

    name_classes(folder / "validation.h5", "/targets", {"dog", "horse"});

    const auto problems = problems_of(plain(train, validation));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.validation");
    CHECK(problems[0].message.find("class 0 is dog in " + validation + " and cat in " + train + ", so trials would") ==
          0);
}

TEST_CASE("a memory limit that is smaller than a chunk is found before training") {
    const SweepFixture sweep;
    json settings = plain(sweep.train);
    settings["data"]["memory"] = 100;  // a chunk has 8 images of 64 bytes

    CHECK(keys(settings) == std::vector<std::string>{"trainer.data.train"});
}

TEST_CASE("a remark is made on a shuffle of few chunks, with the memory that suffices") {
    const SweepFixture sweep;
    json settings = plain(write_images(sweep.folder / "sorted.h5", "train", 800, /*seed=*/1, /*chunk_samples=*/8));
    const auto remarks_with = [&](const std::string& memory) {
        settings["data"]["memory"] = memory;
        REQUIRE(problems_of(settings).empty());
        return remarks_on_settings({{"settings", settings}}, plain_catalogue());
    };

    const auto remarks = remarks_with("4KiB");

    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].key == "trainer.data.memory");
    CHECK(remarks[0].message.find("of the 100 chunks of") != std::string::npos);
    CHECK(remarks[0].message.find("use 1MiB or more") != std::string::npos);
    CHECK(remarks_with("16KiB").empty());
    CHECK(remarks_with("1MiB").empty());
}

TEST_CASE("a remark is made on uint16 inputs without scaling") {
    const TemporaryFolder folder;
    const auto file = (folder / "counts.h5").string();
    {
        Hdf5Writer writer(file);
        writer.add("/inputs", {2, 8, 8}, H5T_NATIVE_UINT16, std::vector<std::uint16_t>(2 * 64, 1800));
        writer.add("/targets", {2}, H5T_NATIVE_UCHAR, std::vector<unsigned char>{0, 1});
    }
    json settings = plain(file + ":/");

    const auto remarks = remarks_on_settings({{"settings", settings}}, plain_catalogue());

    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].key == "trainer.data.normalize");
    CHECK(remarks[0].message.find("has uint16 numbers in inputs, which enter the network as they are") !=
          std::string::npos);
    settings["data"]["normalize"] = "none";
    CHECK(remarks_on_settings({{"settings", settings}}, plain_catalogue()).empty());
}

TEST_CASE("a remark is made on sets that share samples") {
    const SweepFixture sweep;
    const auto remarked = [&](const std::string& validation, const std::string& test) {
        json settings = plain(sweep.train + "[0:50]", validation);
        settings["data"]["test"] = test;
        REQUIRE(problems_of(settings).empty());
        std::string all;
        for (const auto& remark : remarks_on_settings({{"settings", settings}}, plain_catalogue())) {
            all += remark.key + ": " + remark.message + "\n";
        }
        return all;
    };

    CHECK(remarked(sweep.train + "[50:]", sweep.validation) == "");
    const auto learned = remarked(sweep.train + "[49:]", sweep.validation);
    CHECK_MESSAGE(learned.starts_with("trainer.data.validation: " + sweep.train + "[49:] and " + sweep.train +
                                      "[0:50] share samples, such as row 49 of " + sweep.train + ", so "),
                  learned);
    const auto judged = remarked(sweep.validation, sweep.validation + "[3:4]");
    CHECK_MESSAGE(judged.starts_with("trainer.data.test: "), judged);
    CHECK_MESSAGE(judged.find("row 3 of " + sweep.validation) != std::string::npos, judged);
}

TEST_CASE("a remark is made on settings of unused models and optimizers, searched or not") {
    const SweepFixture sweep;
    const auto remarked = [&](const json& more, const json& parameters) {
        json settings = plain(sweep.train);
        settings.update(more);
        REQUIRE(problems_of(settings, parameters).empty());
        std::string all;
        for (const auto& remark :
             remarks_on_settings({{"settings", settings}, {"parameters", parameters}}, plain_catalogue())) {
            all += remark.key + " ";
        }
        return all;
    };
    const json search{{"code", {2, 8}}, {"lr", {0.1}}};

    CHECK(remarked({{"optimizer", "slow"}, {"momentum", 0.5}}, search) == "parameters.code trainer.momentum ");
    CHECK(remarked({{"momentum", 0.5}}, {{"width", {8, 16}}}) == "");  // the default optimizer uses it
    const json choices{
        {"model", {"plain", "wide"}}, {"optimizer", {"slow", "plain"}}, {"code", {8}}, {"momentum", {0.5}}};
    CHECK(remarked(json::object(), choices) == "");
}

TEST_CASE("a parameter supplies a setting that the section lacks") {
    const SweepFixture sweep;
    json settings = plain(sweep.train);
    settings.erase("depth");  // both the default of 2 and 3 are valid

    CHECK(keys(settings, {{"depth", {3}}}).empty());
}

TEST_CASE("a parameter with a dotted name sets a nested setting, and an unexpected list is refused") {
    const SweepFixture sweep;

    CHECK(keys(plain(sweep.train), {{"data.threads", {1, 2}}}).empty());
    CHECK(keys(plain(sweep.train), {{"data.threads", {1, 999}}}) ==
          std::vector<std::string>{"parameters.data.threads"});
    CHECK(keys(plain(sweep.train), {{"lr", {json::array({0.1, 0.2})}}}) == std::vector<std::string>{"parameters.lr"});
}

TEST_CASE("a loss or metric that does not fit the targets is named") {
    const SweepFixture sweep;
    const std::string numbers = write_numbers(sweep.folder / "numbers.h5", "train", 8);
    const auto keys_with = [&](const std::string& train, const std::string& key, const json& value) {
        json settings = plain(train);
        settings[key] = value;
        return keys(settings);
    };
    using Keys = std::vector<std::string>;

    CHECK(keys_with(sweep.train, "loss", "cross_entropy").empty());
    CHECK(keys_with(sweep.train, "loss", "mse") == Keys{"trainer.loss"});
    CHECK(keys_with(numbers, "loss", "mae").empty());
    CHECK(keys_with(numbers, "loss", "cross_entropy") == Keys{"trainer.loss"});
    CHECK(keys_with(sweep.train, "metrics", {"f1", "top5"}).empty());
    CHECK(keys_with(sweep.train, "metrics", "r2") == Keys{"trainer.metrics"});
    CHECK(keys_with(numbers, "metrics", {"r2", "f1"}) == Keys{"trainer.metrics"});
}

TEST_CASE("latitudes that cannot be used are found when the settings are checked") {
    const SweepFixture sweep;
    json settings = plain(write_grid(sweep.folder / "era5.nc", 8, {60, 30, 0, -30}));
    settings["data"].update({{"inputs", "t[:, 0]"}, {"targets", "t[:, 1]"}, {"latitude", "latitude"}});
    const auto with = [&](const std::string& key, const json& value) {
        json changed = settings;
        changed[json::json_pointer(key)] = value;
        return keys(changed);
    };
    using Keys = std::vector<std::string>;

    CHECK(keys(settings).empty());
    CHECK(with("/data/latitude", "lat") == Keys{"trainer.data.latitude"});
    CHECK(keys(settings, {{"data.latitude", {"lat"}}}) == Keys{"parameters.data.latitude"});
    CHECK(with("/data/latitude", 1) == Keys{"trainer.data.latitude"});
    settings["data"]["targets"] = "t[:, 1, 0, 0]";
    CHECK(with("/data/latitude", "latitude") == Keys{"trainer.data.latitude"});
    CHECK(with("/data/latitude", "").empty());
    settings["data"].update({{"train", sweep.train}, {"inputs", "inputs"}, {"targets", "targets"}});
    CHECK(with("/data/latitude", "latitude") == Keys{"trainer.data.latitude"});  // the targets are classes
}
