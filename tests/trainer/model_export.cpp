#include "trainer/model_export.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/grid.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/networks/models.hpp"
#include "trainer/optimizers/optimizers.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

namespace fs = std::filesystem;

/// Saves a script with a running mean in a buffer. Its outputs have the shape of the targets.
void save_script(const fs::path& file) {
    torch::jit::Module module("Net");
    module.register_attribute("training", c10::BoolType::get(), true);
    module.register_parameter("weight", at::full({8, 8}, 0.5).requires_grad_(), /*is_buffer=*/false);
    module.register_buffer("mean", at::zeros({8, 8}));
    module.define(R"(
        def forward(self, x):
            if self.training:
                self.mean.mul_(0.9).add_(0.1 * x.detach().mean([0, 1]))
            return (x.mean(1) - self.mean) * self.weight
    )");
    module.save(file.string());
}

/// Trains a model for an epoch and returns the request to export it to `folder`.
Json request_of(FakeCrescendo& crescendo, const Terms& terms, const fs::path& folder) {
    crescendo.train({0}, "new", terms, 1);
    crescendo.leave({0}, /*save=*/false);
    fs::create_directory(folder);
    return {{"trial", 0},
            {"settings", terms.settings},
            {"checkpoint", (terms.directory / "checkpoint.pt").string()},
            {"folder", folder.string()}};
}

}  // namespace

TEST_CASE("exported models reproduce the metrics of the trial's last report in Python") {
    if (!fs::exists(TORCH_PYTHON)) {
        MESSAGE("skipped: no Python with torch at " TORCH_PYTHON);
        return;
    }
    const SweepFixture sweep;
    const auto data = sweep.folder / "data.h5";
    const Json waves = {{"train", write_waves(data, "waves", 24, /*seed=*/1)},
                        {"validation", write_waves(data, "more_waves", 10, /*seed=*/2) + "[2:9]"}};
    const Json numbers = {{"train", write_numbers(data, "numbers", 24)},
                          {"validation", write_numbers(data, "more_numbers", 12, /*nan_at=*/5)},
                          {"nan", "skip"},
                          {"normalize", {{"inputs", {{"mean", {3, 1, 2}}, {"std", {2, 1, 4}}}}}}};
    const Json table = {{"train", write_numbers(data, "rows", 24)},
                        {"validation", write_numbers(data, "more_rows", 12)}};
    const Json videos = {{"train", sweep.train}, {"validation", sweep.validation}, {"window", {{"length", 4}}}};
    save_script(sweep.folder / "net.pt");
    const auto odd = (sweep.folder / "odd.h5").string();
    REQUIRE(std::system((TORCH_PYTHON " " TEST_FOLDER "/odd_samples.py " + odd).c_str()) == 0);
    const Json channels_last = {{"train", odd + ":/images"},
                                {"validation", odd + ":/more_images[/rows]"},
                                {"layout", "hwc"},
                                {"normalize", {{"inputs", {{"mean", {90, 91, 92}}, {"std", {50, 51, 52}}}}}}};
    const Json packed_windows = {{"train", odd + ":/series"},
                                 {"validation", odd + ":/more_series[10:90]"},
                                 {"window", {{"length", 5}, {"stride", 2}, {"horizon", 3}}},
                                 {"nan", "skip"}};
    const Json missing_classes = {{"train", odd + ":/unsure"}, {"validation", odd + ":/more_unsure"}, {"nan", "skip"}};
    const auto packed_files = (sweep.folder / "packed-?.h5").string();
    const Json packed_differently = {{"train", packed_files + ":/series"},
                                     {"validation", packed_files + ":/more_series"},
                                     {"nan", "skip"}};
    write_waves(sweep.folder / "part-1.h5", "w", 16, /*seed=*/3);
    write_waves(sweep.folder / "part-2.h5", "w", 9, /*seed=*/4);
    const auto parts = (sweep.folder / "part-*.h5").string() + ":/w";
    const Json fitted = {{"train", parts},
                         {"validation", parts + "[3:24:2]"},
                         {"inputs", {"inputs[:, 1]", "inputs[:, :1]"}},
                         {"crop", {{"size", {6, 7}}, {"from", "begin"}}},
                         {"pad", {{"size", {8, 8}}, {"with", "edge"}}},
                         {"normalize", {{"inputs[:, 1]", {{"mean", 0.5}, {"std", 2}}}}}};
    const Json zeros = {{"train", parts}, {"validation", parts}, {"crop", {7, 8}}, {"pad", {12, 12}}};
    const Json weather = {{"train", write_grid(sweep.folder / "2017.nc", 24, {90, 60, 30, 0, -30, -60})},
                          {"validation", write_grid(sweep.folder / "2018.nc", 10, {90, 60, 30, 0, -30, -60})},
                          {"inputs", {"t[:, 0]"}},
                          {"targets", {"t[:, 1]", "t[:, 0]"}},
                          {"latitude", "latitude"},
                          {"pad", {8, 8}}};
    const std::vector<Json> trials{
        {{"model", "mlp"},
         {"activation", "gelu"},
         {"ema", 0.9},
         {"metrics", {"f1", "top5", "balanced_accuracy", "auroc"}}},
        {{"model", "mlp"}, {"data", numbers}, {"loss", "huber"}, {"metrics", {"mae", "rmse", "r2"}}},
        {{"model", "mlp"}, {"class_balance", 0.5}, {"metrics", "auroc"}},
        {{"model", "cnn"}, {"kernel_size", 5}, {"activation", "leaky_relu"}, {"dropout", 0.2}},
        {{"model", "cnn"}, {"data", channels_last}, {"precision", "bf16"}},
        {{"model", "cnn"}, {"precision", "tf32"}},
        {{"model", "mlp"}, {"optimizer", "schedule_free"}},
        {{"model", "mlp"}, {"data", packed_windows}, {"metrics", "r2"}},
        {{"model", "mlp"}, {"data", packed_differently}, {"metrics", "r2"}},
        {{"model", "mlp"}, {"data", missing_classes}, {"metrics", "f1"}},
        {{"model", "autoencoder"}, {"data", waves}, {"latent", 3}, {"loss", "mae"}, {"metrics", "relative_l2"}},
        {{"model", "unet"}, {"width", 4}, {"depth", 1}, {"data", waves}, {"loss", "relative_l2"}},
        {{"model", "autoencoder"}, {"activation", "silu"}},
        {{"model", "resnet18"}, {"ema", 0.5}},
        {{"model", "resnet34"}, {"stem", "large"}, {"activation", "elu"}},
        {{"model", "resnet50"}, {"dropout", 0.1}},
        {{"model", "resnet18"}, {"width", 4}, {"norm", "sync_batch"}},
        {{"model", "resnet18"}, {"width", 4}, {"norm", "group"}},
        {{"model", "resnet18"}, {"width", 4}, {"norm", "none"}},
        {{"model", "mlp"}, {"data", table}, {"categories", {{"0", 20}, {"1", 2}}}, {"embedding_width", 3}},
        {{"model", "r3d"}, {"width", 4}, {"depth", 1}, {"data", videos}},
        {{"model", "r2plus1d"}, {"width", 4}, {"norm", "group"}, {"stem", "large"}, {"data", videos}},
        {{"model", "unet"}, {"width", 4}, {"depth", 1}, {"data", waves}},
        {{"model", "unet"}, {"width", 4}, {"depth", 2}, {"data", fitted}},
        {{"model", "autoencoder"}, {"depth", 2}, {"data", zeros}},
        {{"model", "unet"}, {"width", 4}, {"norm", "group"}, {"activation", "silu"}, {"data", waves}},
        {{"model", "unet"},
         {"width", 4},
         {"depth", 1},
         {"data", weather},
         {"loss", "huber"},
         {"metrics", {"mae", "rmse", "r2", "relative_l2"}}},
        {{"model", "vit"}, {"width", 8}, {"depth", 2}, {"heads", 2}, {"dropout", 0.1}},
        {{"model", "transformer"}, {"width", 8}, {"heads", 2}, {"depth", 1}, {"data", packed_windows}},
        {{"model", "lstm"}, {"width", 8}, {"depth", 2}, {"data", packed_windows}},
        {{"model", "gru"}, {"width", 8}, {"depth", 1}, {"bidirectional", true}, {"ema", 0.9}},
        {{"model", (sweep.folder / "net.pt").string()}, {"data", waves}, {"ema", 0.9}},
    };
    FakeCrescendo crescendo(1, "crescendo-trainer");
    std::string command = TORCH_PYTHON " " TEST_FOLDER "/load_exports.py";

    for (const auto& settings : trials) {
        const auto name = std::to_string(&settings - trials.data()) + fs::path(settings["model"]).stem().string();
        CAPTURE(name);
        Terms terms = sweep.terms(name);
        terms.settings["batch_size"] = 16;  // a norm needs more than one value, even in a part of a step
        terms.settings.update(settings);
        terms.checkpoint_at = 1;
        const auto request = request_of(crescendo, terms, sweep.folder / (name + "-export"));
        const auto answer = export_model(request, {models(), optimizers()});
        CHECK(answer.at("resource") == 1);
        for (const auto& file : answer.at("files")) {
            CHECK(fs::exists(sweep.folder / (name + "-export") / file.get<std::string>()));
        }
        command += " " + request.at("folder").get<std::string>();
    }

    CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("a model with a complex buffer is exported without safetensors, and the export says why") {
    const SweepFixture sweep;
    torch::jit::Module module("Net");
    module.register_attribute("training", c10::BoolType::get(), true);
    module.register_parameter("weight", at::full({4, 64}, 0.5).requires_grad_(), /*is_buffer=*/false);
    module.register_buffer("phase", at::full({64}, c10::complex<double>(1, 1), at::kComplexFloat));
    module.define("def forward(self, x):\n    return torch.matmul(x.flatten(1) * self.phase.abs(), self.weight.t())\n");
    module.save((sweep.folder / "net.pt").string());
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["model"] = (sweep.folder / "net.pt").string();
    terms.checkpoint_at = 1;
    const Json request = request_of(crescendo, terms, sweep.folder / "export");

    const auto answer = export_model(request, {models(), optimizers()});

    CHECK(answer.at("files") == Json{"load.py", "model.pt", "model.ts", "export.json"});
    CHECK(answer.at("left_out").at("model.safetensors") == "phase is ComplexFloat, which safetensors cannot store");
    const auto description = Json::parse(content(sweep.folder / "export" / "export.json"));
    CHECK(description.at("left_out") == answer.at("left_out"));
    CHECK_FALSE(fs::exists(sweep.folder / "export" / "model.safetensors"));
}

TEST_CASE("exporting a missing checkpoint or one of another model fails with the file's name") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.checkpoint_at = 1;
    Json request = request_of(crescendo, terms, sweep.folder / "export");
    const auto message_of = [&] {
        try {
            export_model(request, {models(), optimizers()});
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };

    request["settings"]["width"] = 5;
    CHECK(message_of().find("checkpoint.pt: it holds a model with different shapes") != std::string::npos);
    request["checkpoint"] = (sweep.folder / "gone.pt").string();
    CHECK(message_of().find("gone.pt") != std::string::npos);
}
