#include "trainer/settings/settings.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "tests/trainer/plain_catalogue.hpp"

using namespace crescendo;
using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using nlohmann::json;

namespace {

json minimal() { return {{"data", {{"train", "a.h5:/train"}}}}; }

std::vector<Problem> problems_of(const json& section) {
    std::vector<Problem> problems;
    parse_settings(section, plain_catalogue(), problems);
    return problems;
}

Settings parsed(const json& section) {
    std::vector<Problem> problems;
    const Settings settings = parse_settings(section, plain_catalogue(), problems);
    CHECK(problems.empty());
    return settings;
}

const PlainModel& model_of(const Settings& settings) { return dynamic_cast<const PlainModel&>(*settings.model); }

/// The minimal section with one more key.
json with(const std::string& key, const json& value) {
    json section = minimal();
    section[key] = value;
    return section;
}

}  // namespace

TEST_CASE("only the training data must be given") {
    const Settings settings = parsed(minimal());

    CHECK(settings.model->name == "plain");
    CHECK(model_of(settings).width == 16);
    CHECK(settings.optimizer->name == "plain");
    CHECK(settings.lr == 0.01);
    CHECK(settings.lr_scaling == LearningRateScaling::linear);
    CHECK(problems_of(json::object()).front().key == "trainer.data.train");
}

TEST_CASE("a trial uses float32, is not deterministic and chooses CUDA graphs automatically by default") {
    CHECK(parsed(minimal()).precision == Precision::float32);
    CHECK_FALSE(parsed(minimal()).deterministic);
    CHECK(parsed(with("precision", "bf16")).precision == Precision::bf16);
    for (const json& on : {json("on"), json(true)}) {
        CHECK(parsed(with("deterministic", on)).deterministic);
    }
    CHECK_FALSE(parsed(with("deterministic", "off")).deterministic);
    CHECK(problems_of(with("precision", "half")).front().key == "trainer.precision");
    CHECK(problems_of(with("deterministic", "sometimes")).front().key == "trainer.deterministic");

    CHECK(parsed(minimal()).cuda_graphs == CudaGraphs::automatic);
    CHECK(parsed(with("cuda_graphs", "on")).cuda_graphs == CudaGraphs::on);
    CHECK(parsed(with("cuda_graphs", "off")).cuda_graphs == CudaGraphs::off);
    CHECK(problems_of(with("cuda_graphs", "sometimes")).front().key == "trainer.cuda_graphs");
}

TEST_CASE("a trial starts with torch's own weights at its full rate by default") {
    CHECK(parsed(minimal()).init == Initialization::torch);
    CHECK(parsed(minimal()).warmup == 0.0);
    CHECK(parsed(with("init", "kaiming")).init == Initialization::kaiming);
    CHECK(parsed(with("warmup", 5)).warmup == 5.0);
    CHECK(problems_of(with("init", "he")).front().key == "trainer.init");
    CHECK(problems_of(with("warmup", -1)).front().key == "trainer.warmup");
}

TEST_CASE("the time between checkpoints is a duration or off") {
    CHECK_FALSE(parsed(minimal()).checkpoint_every.has_value());
    CHECK(parsed(with("checkpoint_every", "1h30m")).checkpoint_every == std::chrono::minutes(90));
    CHECK(parsed(with("checkpoint_every", "off")).checkpoint_every == std::chrono::seconds(0));
    CHECK(parsed(with("checkpoint_every", false)).checkpoint_every == std::chrono::seconds(0));
    for (const json& wrong : {json("soon"), json("0s"), json(10)}) {
        CHECK(problems_of(with("checkpoint_every", wrong)).front().key == "trainer.checkpoint_every");
    }
}

TEST_CASE("true and false mean on and off, as some YAML libraries read them") {
    CHECK(parsed(with("cuda_graphs", true)).cuda_graphs == CudaGraphs::on);
    CHECK(parsed(with("cuda_graphs", false)).cuda_graphs == CudaGraphs::off);
    CHECK(problems_of(with("model", true)).front().key == "trainer.model");
}

TEST_CASE("defaults follow the optimizer and the model") {
    const Settings slow = parsed(with("optimizer", "slow"));

    CHECK(slow.lr_scaling == LearningRateScaling::sqrt);
    CHECK(slow.lr == 0.001);
    CHECK(model_of(parsed(with("model", "wide"))).width == 128);
}

TEST_CASE("settings of a model that is not chosen are accepted and checked unless the chosen model has them") {
    const auto keys_of = [](json section) {
        section["data"]["train"] = "a";
        std::vector<std::string> keys;
        for (const auto& problem : problems_of(section)) {
            keys.push_back(problem.key);
        }
        return keys;
    };
    using Keys = std::vector<std::string>;

    CHECK(keys_of({{"model", "plain"}, {"code", 4}}).empty());
    CHECK(keys_of({{"model", "plain"}, {"code", 0}}) == Keys{"trainer.code"});
    CHECK(keys_of({{"model", "plain"}, {"width", 0}, {"optimizer", "slow"}, {"momentum", 2}}) ==
          Keys{"trainer.width", "trainer.momentum"});
    CHECK(model_of(parsed(with("code", 4))).code == 8);  // plain does not read it
}

TEST_CASE("an integer may be given as a double") { CHECK(model_of(parsed(with("width", 32.0))).width == 32); }

TEST_CASE("every bad setting is named, not just the first") {
    json section = {{"optimizer", "sdg"}, {"lr", "fast"}, {"width", 16.5},
                    {"momentum", 1.0},    {"depht", 3},   {"data", {{"train", 7}, {"memory", "much"}}}};

    std::vector<std::string> keys;
    for (const auto& problem : problems_of(section)) keys.push_back(problem.key);

    CHECK(keys == std::vector<std::string>{"trainer.width", "trainer.optimizer", "trainer.momentum", "trainer.lr",
                                           "trainer.data.train", "trainer.data.memory", "trainer.depht"});
}

TEST_CASE("a message gives the allowed values and similar names") {
    CHECK(problems_of(with("optimizer", "sdg")).front().message ==
          "\"sdg\" cannot be used here; give one of plain, slow");
    CHECK(problems_of(with("optimizer", "solw")).front().message ==
          "\"solw\" cannot be used here (did you mean 'slow'?); give one of plain, slow");
    CHECK(problems_of(with("learning_rate", 0.1)).front().message.find("(did you mean 'lr'?)") != std::string::npos);
    CHECK(problems_of(with("optimiser", "slow")).front().message.find("(did you mean 'optimizer'?)") !=
          std::string::npos);
    CHECK(problems_of(with("batch_size", 0)).front().message == "0 is out of range; give 1 to 16777216");
    CHECK(problems_of(with("momentum", 1.0)).front().message == "1.0 is out of range; give at least 0 and less than 1");
}

TEST_CASE("NaN is out of every range") { CHECK(problems_of(with("lr", std::nan(""))).size() == 1); }

TEST_CASE("memory is a number of bytes or has a unit") {
    const auto memory_of = [](const json& value) {
        json section = minimal();
        section["data"]["memory"] = value;
        return parsed(section).data.memory;
    };

    CHECK(memory_of(4096) == 4096);
    CHECK(memory_of("512MiB") == std::size_t{512} << 20);
    CHECK(memory_of("1.5 GB") == 1'500'000'000);
    CHECK(memory_of("2TiB") == std::size_t{2} << 40);
    CHECK(memory_of("0.5 TB") == 500'000'000'000);
}

TEST_CASE("shared memory is a number of bytes, off or derived from the memory") {
    json section = minimal();
    CHECK_FALSE(parsed(section).data.shared_memory.has_value());
    section["data"]["shared_memory"] = "1MiB";
    CHECK(parsed(section).data.shared_memory == std::size_t{1} << 20);
    section["data"]["shared_memory"] = "off";
    CHECK(parsed(section).data.shared_memory == 0);
    section["data"]["shared_memory"] = "on";
    CHECK(problems_of(section).front().key == "trainer.data.shared_memory");
}

TEST_CASE("a section that is not an object is one problem") {
    CHECK(problems_of(json("cnn")).front().key == "trainer");
}

TEST_CASE("unusable settings are thrown with all their problems") {
    CHECK_THROWS_WITH_AS(require_none({{"trainer.a", "is bad"}, {"trainer.b", "is worse"}}),
                         "trainer.a: is bad\ntrainer.b: is worse", InvalidInput);
}

TEST_CASE("normalization is a word for all data sets, or a word or numbers for each data set") {
    const auto data_of = [](const json& normalize) {
        json section = minimal();
        section["data"]["inputs"] = {"images", "fields"};
        section["data"]["normalize"] = normalize;
        return parsed(section).data;
    };

    CHECK(data_of("standard").standardize);
    CHECK_FALSE(data_of("none").standardize);
    const auto each = data_of({{"images", "standard"}, {"fields", {{"scale", {2.0, 4.0}}, {"offset", 1}}}});
    CHECK(each.normalize.size() == 2);
    CHECK_FALSE(each.normalize.at("images").has_value());
    CHECK(*each.normalize.at("fields") == datasets::Normalization{{-0.5, -0.25}, {0.5, 0.25}});
    CHECK(*data_of({{"targets", {{"mean", 3}, {"std", 2}}}}).normalize.at("targets") ==
          datasets::Normalization{{3}, {2}});
}

TEST_CASE("a std or a scale with which float32 fails is named, and called 0 only if it is") {
    const auto problem_of = [](const json& normalization) {
        json section = minimal();
        section["data"]["normalize"]["inputs"] = normalization;
        const auto problems = problems_of(section);
        return problems.size() == 1 ? problems[0].message : "";
    };
    const auto destroys = [](const std::string& what) {
        return "a " + what + " would destroy the numbers in float32; give another";
    };

    CHECK(problem_of({{"std", 0}}) == destroys("std of 0"));
    CHECK(problem_of({{"std", {1, 1e-50}}}) == destroys("std of 1e-50"));
    CHECK(problem_of({{"scale", 0}}) == destroys("scale of 0"));
    CHECK(problem_of({{"scale", 1e300}, {"offset", {1, 2}}}) == destroys("scale of 1e+300"));
    CHECK(problem_of({{"scale", {1e-310}}}) == destroys("scale of 1e-310"));
    CHECK(problem_of({{"std", 1e44}}) == "");  // numbers that are stored as float64 may vary that much
}

TEST_CASE("bad settings for normalization, windows, crops and padding are named") {
    const auto keys_of = [](const json& data) {
        json section = minimal();
        section["data"].update(data);
        std::vector<std::string> keys;
        for (const auto& problem : problems_of(section)) keys.push_back(problem.key);
        return keys;
    };
    using Keys = std::vector<std::string>;

    CHECK(keys_of({{"normalize", {{"inputs", {{"mean", 1}, {"std", 0}}}}}}) == Keys{"trainer.data.normalize.inputs"});
    CHECK(keys_of({{"normalize", {{"inputs", {{"scale", 0}}}}}}) == Keys{"trainer.data.normalize.inputs"});
    CHECK(keys_of({{"normalize", {{"inputs", {{"mean", {1, "x"}}}}}}}) == Keys{"trainer.data.normalize.inputs.mean"});
    CHECK(keys_of({{"normalize", {{"imputs", "standard"}}}}) == Keys{"trainer.data.normalize.imputs"});
    CHECK(keys_of({{"normalize", "standart"}}) == Keys{"trainer.data.normalize"});
    CHECK(keys_of({{"inputs", json::array()}}) == Keys{"trainer.data.inputs"});
    CHECK(keys_of({{"window", {{"stride", 2}}}}) == Keys{"trainer.data.window.length"});
    CHECK(keys_of({{"window", {{"length", 0}}}}) == Keys{"trainer.data.window.length"});
    CHECK(keys_of({{"nan", "ignore"}}) == Keys{"trainer.data.nan"});
    CHECK(keys_of({{"crop", {720}}}) == Keys{"trainer.data.crop"});
    CHECK(keys_of({{"crop", {720.5, 1440}}}) == Keys{"trainer.data.crop"});
    CHECK(keys_of({{"pad", {{"size", {720, 1440}}, {"with", "ones"}}}}) == Keys{"trainer.data.pad.with"});
    CHECK(keys_of({{"pad", {{"with", "edge"}}}}) == Keys{"trainer.data.pad.size"});
}

TEST_CASE("images are cropped and padded to a size, which may come with a mode") {
    json section = minimal();
    section["data"]["crop"] = {720, 1440};
    section["data"]["pad"] = {{"size", {736, 1440}}, {"with", "edge"}};
    section["data"]["latitude"] = "latitude";

    const auto data = parsed(section).data;

    CHECK(data.crop == datasets::Crop{{720, 1440}, datasets::CropFrom::center});
    CHECK(data.pad == datasets::Pad{{736, 1440}, datasets::PadWith::edge});
    CHECK(data.latitude == "latitude");
}

TEST_CASE("schedules, losses, clipping, averages and metrics are read, and each mistake in them is named") {
    json section = minimal();
    section.update({{"lr_schedule", "one_cycle"},
                    {"lr_length", 30.0},
                    {"loss", "huber"},
                    {"huber_delta", 0.5},
                    {"clip_norm", 1},
                    {"lr_factors", {{"conv1", 0}, {"output", {{"bias", 2}}}}},
                    {"init_from", "winner.pt"},
                    {"init_except", "output"},
                    {"ema", 0.99},
                    {"metrics", {"rmse", "r2"}}});

    const Settings settings = parsed(section);

    CHECK(settings.rate.shape == RateShape::one_cycle);
    CHECK(settings.rate.length == 30);
    CHECK(settings.loss.loss == Loss::huber);
    CHECK(settings.loss.huber_delta == 0.5);
    CHECK(settings.clip_norm == 1.0);
    CHECK(settings.lr_factors == std::map<std::string, double>{{"conv1", 0.0}, {"output.bias", 2.0}});
    CHECK(settings.init_except == std::vector<std::string>{"output"});
    CHECK(settings.ema == 0.99);
    CHECK(settings.metrics == std::vector{Metric::rmse, Metric::r2});
    for (const auto& [key, wrong] : std::vector<std::pair<std::string, json>>{{"lr_schedule", "cosin"},
                                                                              {"lr_length", 0},
                                                                              {"lr_last", -0.1},
                                                                              {"lr_step", 0},
                                                                              {"lr_decay", "x"},
                                                                              {"lr_power", -1},
                                                                              {"lr_rise", 1.0},
                                                                              {"loss", "mean"},
                                                                              {"label_smoothing", 1.0},
                                                                              {"class_weights", {1, -1}},
                                                                              {"class_weights", {0, 0.0}},
                                                                              {"class_balance", -0.5},
                                                                              {"huber_delta", 0},
                                                                              {"clip_norm", -1},
                                                                              {"clip_value", -1},
                                                                              {"ema", 1.0},
                                                                              {"lr_factors", 0.1},
                                                                              {"init_from", 1},
                                                                              {"init_except", "output"},
                                                                              {"metrics", {"f2"}}}) {
        CAPTURE(key);
        json bad = minimal();
        bad[key] = wrong;
        const auto problems = problems_of(bad);
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].key == "trainer." + key);
    }
}
