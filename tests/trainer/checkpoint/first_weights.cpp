#include "trainer/checkpoint/first_weights.hpp"

#include <ATen/ATen.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/plain_pickle.hpp"
#include "trainer/checkpoint/safetensors.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::tests::error_of;
using crescendo::tests::TemporaryFolder;
using nlohmann::json;

namespace {

const auto device = make_cpu_device();

/// A trial of an mlp that classifies into `num_classes`. Its weights follow from the seed.
Trial trial_of(std::uint64_t seed, json settings = json::object(), std::int64_t num_classes = 3) {
    settings.update({{"model", "mlp"}, {"width", 4}, {"depth", 1}});
    Task task;
    task.input_shape = {5};
    task.num_outputs = num_classes;
    task.num_samples = 8;
    return Trial(/*number=*/0, seed, settings_of(settings), task, *device);
}

/// Like trial_of(), but with weights from a file.
Trial begun_from(const std::filesystem::path& file, json settings = json::object(), std::int64_t num_classes = 3) {
    settings["init_from"] = file.string();
    Trial trial = trial_of(/*seed=*/2, settings, num_classes);
    take_first_weights(trial);
    return trial;
}

bool same_weights(const Trial& a, const Trial& b) {
    const auto x = a.named_tensors();
    const auto y = b.named_tensors();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!at::equal(x[i].tensor, y[i].tensor)) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("a trial can start from the weights of a checkpoint, a safetensors file or a file saved by Python") {
    const TemporaryFolder folder;
    const Trial source = trial_of(/*seed=*/1);
    write_checkpoint(folder / "checkpoint.pt", checkpoint_of(source, json::object()));
    write_safetensors(folder / "model.safetensors", source.named_tensors());
    std::vector<std::string> files{"checkpoint.pt", "model.safetensors"};
    if (std::filesystem::exists(TORCH_PYTHON)) {
        const std::string python = TORCH_PYTHON " " TEST_FOLDER "/checkpoint/save_weights.py ";
        REQUIRE(std::system((python + folder.path().string()).c_str()) == 0);
        files.insert(files.end(), {"plain.pt", "dict.pt", "parallel.pt"});
    } else {
        MESSAGE("skipped what Python saves: no Python with torch at " TORCH_PYTHON);
    }

    for (const auto& file : files) {
        CAPTURE(file);
        CHECK(same_weights(begun_from(folder / file), source));
    }
    CHECK_FALSE(same_weights(trial_of(/*seed=*/2), source));
}

TEST_CASE("a trial that starts from one with a moving average takes the average as its weights and its own average") {
    const TemporaryFolder folder;
    const Trial source = trial_of(/*seed=*/1, {{"ema", 0.9}});
    for (const auto& average : source.averages()) {
        at::Tensor(average.tensor).fill_(0.25);
    }
    write_checkpoint(folder / "checkpoint.pt", checkpoint_of(source, json::object()));

    const Trial trial = begun_from(folder / "checkpoint.pt", {{"ema", 0.5}});

    CHECK(at::equal(trial.parameters()[0], at::full_like(trial.parameters()[0], 0.25)));
    CHECK(at::equal(trial.averages()[0].tensor, trial.parameters()[0]));
}

TEST_CASE("a trial that starts from one with schedule_free takes the average used in evaluation") {
    const TemporaryFolder folder;
    json settings{{"optimizer", "schedule_free"}, {"lr_factors", {{"output", 0}}}};
    for (const bool has_default : {true, false}) {
        CAPTURE(has_default);
        if (!has_default) {
            settings["schedule_free_beta"] = 0.8;
        }
        Trial source = trial_of(/*seed=*/1, settings);
        source.set_group(/*size=*/1, {});
        const Group group(*device);
        GradientReducer reducer(group, source.learning_parameters());
        LoadedBatch loaded;
        loaded.slice.member_samples = {8};
        loaded.slice.samples.resize(8);
        loaded.batch = {at::ones({8, 5}), at::zeros({8}, at::kLong)};
        for (int step = 0; step < 3; ++step) {
            source.step(loaded, group, reducer);
        }
        write_checkpoint(folder / "checkpoint.pt", checkpoint_of(source, settings));

        const Trial trial = begun_from(folder / "checkpoint.pt");

        const auto evaluated = source.evaluation_weights();
        for (std::size_t i = 0; i < evaluated.size(); ++i) {
            CHECK(at::equal(trial.parameters()[i], evaluated[i]));
        }
        CHECK_FALSE(at::equal(trial.parameters()[0], source.parameters()[0]));
    }
}

TEST_CASE("weights excepted by the settings are drawn at random and may differ in shape from the file") {
    const TemporaryFolder folder;
    const Trial source = trial_of(/*seed=*/1);
    write_safetensors(folder / "model.safetensors", source.named_tensors());

    const Trial trial = begun_from(folder / "model.safetensors", {{"init_except", "output"}}, /*num_classes=*/7);

    const Trial drawn = trial_of(/*seed=*/2, json::object(), 7);
    CHECK(at::equal(trial.parameters()[0], source.parameters()[0]));
    CHECK(at::equal(trial.parameters()[2], drawn.parameters()[2]));
}

TEST_CASE("a file that does not fit the model is refused with the differences") {
    const TemporaryFolder folder;
    const auto file = folder / "model.safetensors";
    const Trial source = trial_of(/*seed=*/1);
    write_safetensors(file, source.named_tensors());
    const auto message = [&](const json& settings, std::int64_t num_classes) {
        return error_of([&] { begun_from(file, settings, num_classes); });
    };

    CHECK(message({}, 7) == file.string() +
                                " does not fit the model: its output.weight is 3x4, but 7x4 in the model, "
                                "its output.bias is 3, but 7 in the model; name what to learn from scratch "
                                "in trainer.init_except, such as the last layer");
    CHECK(message({{"init_except", "head"}}, 3).find("named head") != std::string::npos);
    auto tensors = source.named_tensors();
    tensors.back().name = "other";
    write_safetensors(file, tensors);
    CHECK(message({}, 3).find("it lacks output.bias, the model has no other;") != std::string::npos);
    tensors.front().name = "some";
    write_safetensors(file, tensors);
    CHECK(message({}, 3).find("it lacks output.bias, the model has no other, and 1 more;") != std::string::npos);
}

TEST_CASE("a file may have more tensors in what the settings except") {
    const TemporaryFolder folder;
    auto tensors = trial_of(/*seed=*/1).named_tensors();
    tensors.push_back({"output.scale", at::ones({1})});
    write_safetensors(folder / "model.safetensors", tensors);

    CHECK_NOTHROW(begun_from(folder / "model.safetensors", {{"init_except", "output"}}));
    CHECK_THROWS(begun_from(folder / "model.safetensors"));
}

TEST_CASE("a file may lack the number of batches that a norm has seen, which earlier versions of torch did not count") {
    const TemporaryFolder folder;
    json settings{{"model", "normed"}};
    const Task task{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 2, .num_samples = 8};
    const Trial source(/*number=*/0, /*seed=*/1, settings_of(settings), task, *device);
    auto tensors = source.named_tensors();
    REQUIRE(tensors.back().name == "norm.num_batches_tracked");
    tensors.pop_back();
    write_safetensors(folder / "model.safetensors", tensors);
    settings["init_from"] = (folder / "model.safetensors").string();
    Trial trial(/*number=*/0, /*seed=*/2, settings_of(settings), task, *device);

    take_first_weights(trial);

    CHECK(same_weights(trial, source));
}

TEST_CASE("a state dict may hold tied weights under names that the model does not have") {
    const TemporaryFolder folder;
    const Trial source = trial_of(/*seed=*/1);
    c10::Dict<std::string, at::Tensor> state;
    for (const auto& [name, tensor] : source.named_tensors()) {
        state.insert(name, tensor.detach());
    }
    state.insert("tied.weight", state.at("output.weight"));
    write_plainly(folder / "tied.pt", state);
    state.insert_or_assign("tied.weight", state.at("output.weight").clone());
    write_plainly(folder / "other.pt", state);

    CHECK(same_weights(begun_from(folder / "tied.pt"), source));
    CHECK_NOTHROW(begun_from(folder / "tied.pt", {{"init_except", "output"}}, /*num_classes=*/7));
    CHECK(error_of([&] { begun_from(folder / "other.pt"); }).find("the model has no tied.weight") != std::string::npos);
}

TEST_CASE("a missing, damaged or unsuitable file is refused by name") {
    const TemporaryFolder folder;
    const auto message = [&](const std::string& name) { return error_of([&] { begun_from(folder / name); }); };
    const std::string missing = (folder / "none.pt").string() + ": there is no such file";
    write_safetensors(folder / "cut.safetensors", trial_of(/*seed=*/1).named_tensors());
    std::filesystem::resize_file(folder / "cut.safetensors", 300);
    std::ofstream(folder / "words.pt") << "no weights";

    CHECK(message("none.pt") == missing);
    CHECK(message("cut.safetensors").find("cut.safetensors has no named weights") != std::string::npos);
    CHECK(message("words.pt").find("words.pt has no named weights") != std::string::npos);
}

TEST_CASE("a checkpoint whose weights have changed since it was written is refused") {
    const TemporaryFolder folder;
    const auto file = folder / "checkpoint.pt";
    const Trial source = trial_of(/*seed=*/1);
    write_checkpoint(file, checkpoint_of(source, json::object()));
    auto bytes = content(file);
    const auto& weights = source.named_tensors().front().tensor;
    const auto at = bytes.find(std::string(static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()));
    REQUIRE(at != std::string::npos);
    bytes[at] ^= 1;
    std::ofstream(file, std::ios::binary) << bytes;

    CHECK(error_of([&] { begun_from(file); }) ==
          "the checkpoint " + file.string() +
              " is damaged: its content is not what was written; restore it from a copy, or name another file");
}
