#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/host_device.hpp"
#include "tests/trainer/same_members.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/first_weights.hpp"
#include "trainer/checkpoint/plain_pickle.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/data/batch.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/group/gradient_reducer.hpp"
#include "trainer/models/model.hpp"
#include "trainer/network_check.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/training/trial.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

const Task four_classes{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 4, .num_samples = 96};

/// Saves a script with a linear layer of 64 inputs and `num_outputs`, whose forward() is `body`. It has a buffer
/// `mean`, a float `share`, an int `count`, a tensor `seen` that is not a buffer, a list `calls` and a frozen parameter
/// `scale`. If `idle` is not empty, the script also has a parameter of that name.
std::string save_script(const std::filesystem::path& file, const std::string& body, std::int64_t num_outputs = 4,
                        const std::string& idle = {}) {
    at::manual_seed(1);
    torch::jit::Module script("Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    script.register_attribute("share", c10::FloatType::get(), 0.5);
    script.register_attribute("count", c10::IntType::get(), 0);
    script.register_parameter("weight", at::randn({num_outputs, 64}).mul_(0.1).requires_grad_(), /*is_buffer=*/false);
    script.register_parameter("scale", at::ones({1}), /*is_buffer=*/false);
    if (!idle.empty()) {
        script.register_parameter(idle, at::zeros({3}).requires_grad_(), /*is_buffer=*/false);
    }
    script.register_buffer("mean", at::zeros({64}));
    script.register_attribute("seen", c10::TensorType::get(), at::zeros({1}));
    script.register_attribute("calls", c10::ListType::ofInts(), c10::List<std::int64_t>({1}));
    script.define("def forward(self, x):\n" + body);
    script.save(file.string());
    return file.string();
}

/// Like save_script(), but with a batch norm before the linear layer. Like torch's, the norm refuses a single sample in
/// training.
std::string save_normed_script(const std::filesystem::path& file, bool keeps_statistics = true, bool trains = true) {
    at::manual_seed(1);
    torch::jit::Module norm("Norm");
    norm.register_attribute("training", c10::BoolType::get(), true);
    const std::string statistics = keeps_statistics ? "self.running_mean, self.running_var" : "None, None";
    if (keeps_statistics) {
        norm.register_buffer("running_mean", at::zeros({64}));
        norm.register_buffer("running_var", at::ones({64}));
    }
    const std::string uses_batch = keeps_statistics ? "self.training" : "True";
    norm.define("def forward(self, x):\n    if " + uses_batch +
                ":\n"
                "        assert x.size(0) > 1, 'Expected more than 1 value per channel when training'\n"
                "    return torch.batch_norm(x, None, None, " +
                statistics + ", " + uses_batch + ", 0.1, 1e-5, False)\n");
    torch::jit::Module script("Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    script.register_parameter("weight", at::randn({4, 64}).mul_(0.1).requires_grad_(), /*is_buffer=*/false);
    script.register_module("norm", norm);
    script.define("def forward(self, x):\n    return torch.matmul(self.norm.forward(x.flatten(1)), self.weight.t())\n");
    script.train(trains);
    script.save(file.string());
    return file.string();
}

const std::string linear = "    return torch.matmul(x.flatten(1) * self.scale, self.weight.t()) * self.share\n";
const std::string dropping =
    "    x = x.flatten(1)\n"
    "    if self.training:\n"
    "        self.mean.mul_(0.9).add_(x.mean(0))\n"
    "    x = torch.dropout(x - self.mean, self.share, self.training)\n"
    "    return torch.matmul(x, self.weight.t())\n";

std::string problem(const Settings& settings, const Task& task = four_classes) {
    const auto problems = settings.model->misfits_of_task(task);
    return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
}

std::string problem_of_script(const std::string& file, Json constants = Json::object()) {
    return problem(settings_of({{"model", file}, {"constants", std::move(constants)}}));
}

bool has(const std::string& words, const std::string& part) { return words.find(part) != std::string::npos; }

/// Writes all training samples of a sweep, in order, to a file for torch.load.
void write_samples(const std::filesystem::path& file, const SweepFixture& sweep, const Settings& settings) {
    const auto device = make_cpu_device();
    DataCache data;
    auto& stream = data.evaluation(sweep.train, settings.data);
    stream.enter({.group_batch = SweepFixture::num_samples});
    auto slice = stream.next();
    const Batch batch = make_batch(*slice, describe_task(settings, data), *device);
    c10::Dict<std::string, at::Tensor> samples;
    samples.insert("inputs", batch.inputs);
    samples.insert("targets", batch.targets);
    write_plainly(file, samples);
}

}  // namespace

TEST_CASE("a script that runs out of memory throws that, so that its trial continues with smaller micro-batches") {
    const crescendo::tests::TemporaryFolder folder;
    const auto file = save_script(folder / "net.pt", "    x = x + torch.empty([1 << 50])[0]\n" + linear);
    const auto model = settings_of({{"model", file}}).model->make(four_classes);

    CHECK_THROWS_AS(model->forward(at::zeros({2, 8, 8})), c10::OutOfMemoryError);
}

TEST_CASE("a script has the same training curve in the trainer as in Python") {
    if (!std::filesystem::exists(TORCH_PYTHON)) {
        MESSAGE("skipped: no Python with torch at " TORCH_PYTHON);
        return;
    }
    const SweepFixture sweep;
    Terms terms = sweep.terms("trial");
    terms.settings = {{"model", (sweep.folder / "net.pt").string()},
                      {"constants", {{"slope", 0.2}}},
                      {"batch_size", 8},
                      {"lr", 0.05},
                      {"report", {{"every", 1}, {"unit", "steps"}}},
                      {"data", {{"train", sweep.train}, {"shuffle", "none"}}}};
    write_samples(sweep.folder / "samples.pt", sweep, settings_of(terms.settings));
    const std::string python = std::string(TORCH_PYTHON) + " " TEST_FOLDER "/models/train_script.py ";
    REQUIRE(std::system((python + sweep.folder.path().string()).c_str()) == 0);
    const Json curve = Json::parse(content(sweep.folder / "curve.json"));

    FakeCrescendo crescendo(1, "crescendo-trainer");
    crescendo.join({0}, "new", terms);
    for (std::size_t step = 0; step < 100; ++step) {
        CAPTURE(step);
        const double loss = crescendo.await(0, "report")["metrics"]["train_loss"];
        CHECK(loss == doctest::Approx(curve[step].get<double>()).epsilon(1e-4));
        crescendo.go_on({0}, terms);
    }
    CHECK(curve[99] < 0.5 * curve[0].get<double>());
}

TEST_CASE("a mid-epoch regroup with the same members leaves a script with buffers and dropout bit-identical") {
    const SweepFixture sweep;
    const std::string file = save_script(sweep.folder / "net.pt", dropping);

    const auto checkpoint = check_regroup_to_same_members(
        sweep, {0, 1}, {{"model", file}, {"lr_schedule", "cosine"}, {"clip_norm", 0.5}, {"ema", 0.9}});

    CHECK(checkpoint.model.at("mean").abs().sum().item<double>() > 0);
    CHECK(checkpoint.model.contains("scale"));
    CHECK_FALSE(checkpoint.optimizer.contains("scale"));  // frozen
}

TEST_CASE("the units that a script drops depend on the samples' keys, and evaluation drops none") {
    const SweepFixture sweep;
    const Settings settings = settings_of({{"model", save_script(sweep.folder / "net.pt", dropping)}});
    const auto model = settings.model->make(four_classes);
    const at::Tensor inputs = at::randn({5, 8, 8});
    const at::Tensor keys = at::arange(5, at::kInt);

    CHECK(model->drops_units());
    model->eval();
    CHECK(model->forward(inputs).equal(model->forward(inputs)));
    model->train();
    CHECK_FALSE(model->forward(inputs, keys).equal(model->forward(inputs, keys + 1)));
    model->named_buffers()["mean"].zero_();
    const at::Tensor first = model->forward(inputs, keys);
    model->named_buffers()["mean"].zero_();
    CHECK(first.equal(model->forward(inputs, keys)));
}

TEST_CASE("numbers that a script draws in place depend on the samples' keys, so they are not seen as hidden state") {
    const SweepFixture sweep;
    const std::string file = save_script(sweep.folder / "net.pt",
                                         "    x = x.flatten(1)\n"
                                         "    if self.training:\n"
                                         "        x = x + torch.zeros_like(x).exponential_()\n"
                                         "    return torch.matmul(x, self.weight.t())\n");
    const auto model = settings_of({{"model", file}}).model->make(four_classes);
    const at::Tensor inputs = at::randn({5, 8, 8});
    const at::Tensor keys = at::arange(5, at::kInt);

    CHECK(problem_of_script(file) == "");
    CHECK(model->forward(inputs, keys).equal(model->forward(inputs, keys)));
    CHECK_FALSE(model->forward(inputs, keys).equal(model->forward(inputs, keys + 1)));
}

TEST_CASE("a step of a script that drops units uploads no keys, which it would have to wait for later") {
    class CountingDevice : public HostDevice {
      public:
        mutable int uploads = 0;
        at::Tensor upload(const at::Tensor& host) const override {
            ++uploads;
            return host;
        }
        c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>&, int, int,
                                                                  const Patience&) const override {
            throw std::logic_error("a group of one needs no process group");
        }
        bool finish(c10d::ProcessGroup&, const std::function<bool()>&) const override { return true; }
        void dissolve(c10d::ProcessGroup&) const override {}
    };
    const SweepFixture sweep;
    const auto uploads_of = [](const Json& settings) {
        const CountingDevice device;
        Trial trial(/*number=*/0, /*seed=*/1, settings_of(settings), four_classes, device);
        trial.set_group(/*size=*/1, {});
        const Group alone(device);
        GradientReducer reducer(alone, trial.learning_parameters());
        LoadedBatch loaded;
        loaded.slice.member_samples = {4};
        loaded.slice.samples = {0, 1, 2, 3};
        loaded.batch = {at::randn({4, 8, 8}), at::zeros({4}, at::kLong)};
        trial.step(loaded, alone, reducer);
        return device.uploads;
    };

    CHECK(uploads_of({{"model", save_script(sweep.folder / "net.pt", dropping)}}) == 0);
    CHECK(uploads_of({{"model", (sweep.folder / "net.pt").string()}, {"flip", "horizontal"}}) == 1);
    CHECK(uploads_of({{"model", "mlp"}, {"dropout", 0.5}}) == 1);
}

TEST_CASE("the setting `constants` sets the attributes of a script") {
    const SweepFixture sweep;
    const std::string file = save_script(sweep.folder / "net.pt", linear);
    const auto outputs = [&](Json constants) {
        const Settings settings = settings_of({{"model", file}, {"constants", std::move(constants)}});
        return settings.model->make(four_classes)->forward(at::ones({1, 8, 8}));
    };

    CHECK(at::allclose(outputs({{"share", 2.0}}), outputs(Json::object()) * 4));
    CHECK(problem_of_script(file, {{"count", 3.0}}) == "");
    CHECK(has(problem_of_script(file, {{"shar", 1.0}}), "trainer.constants.shar: the model has no attribute shar"));
    CHECK(has(problem_of_script(file, {{"shar", 1.0}}), "share (float), count (int)"));
    CHECK(has(problem_of_script(file, {{"count", 2.5}}), "trainer.constants.count: 2.5 cannot be used here"));
    CHECK(has(problem_of_script(file, {{"training", false}}), "trainer.constants.training: the trainer sets training"));
}

TEST_CASE("a model that is not a script or does not fit is refused with the reason") {
    const SweepFixture sweep;
    std::ofstream(sweep.folder / "text.pt") << "weights";
    const std::string good = save_script(sweep.folder / "good.pt", linear);
    const std::string three = save_script(sweep.folder / "three.pt", linear, /*num_outputs=*/3);
    const std::string image = save_script(sweep.folder / "image.pt", "    return torch.matmul(x, self.weight)\n");
    const std::string pair = save_script(sweep.folder / "pair.pt", "    return x, x\n");
    const std::string counting = save_script(sweep.folder / "counting.pt",
                                             "    self.count = self.count + 1\n    return x.flatten(1)\n");

    CHECK(problem_of_script(good) == "");
    CHECK(has(problem_of_script("none.pt"), "trainer.model: none.pt: there is no such file"));
    CHECK(has(problem_of_script((sweep.folder / "text.pt").string()), "text.pt is not TorchScript: "));
    CHECK(has(problem_of_script(three), "returns 2x3 for two samples, but the targets need 2x4"));
    CHECK(has(problem_of_script(image), "image.pt fails with inputs of 2x8x8"));
    CHECK(has(problem_of_script(pair), "pair.pt returns Tuple; forward() must return one tensor"));
    CHECK(has(problem_of_script(counting), "counting.pt sets its attribute count in forward()"));
}

TEST_CASE("a script that keeps state in a list or in a tensor that is not a buffer is refused") {
    const SweepFixture sweep;
    const std::string counting =
        save_script(sweep.folder / "counting.pt",
                    "    self.calls.append(1)\n"
                    "    return torch.matmul(x.flatten(1), self.weight.t()) * len(self.calls)\n");
    const std::string summing = save_script(sweep.folder / "summing.pt",
                                            "    if self.training:\n"
                                            "        self.seen.add_(1)\n"
                                            "        return torch.matmul(x.flatten(1), self.weight.t())\n"
                                            "    return torch.matmul(x.flatten(1), self.weight.t()) * self.seen\n");
    const std::string constant = save_script(sweep.folder / "constant.pt",
                                             "    return torch.matmul(x.flatten(1), self.weight.t()) + self.seen\n");

    CHECK(has(problem_of_script(counting), "counting.pt gives different outputs the second time"));
    CHECK(has(problem_of_script(summing), "summing.pt changes its attribute seen in forward()"));
    CHECK(has(problem_of_script(summing), "self.register_buffer('seen', …)"));
    CHECK(problem_of_script(constant) == "");
}

TEST_CASE("a script may have buffers and frozen parameters whose elements share memory, as after expand()") {
    const SweepFixture sweep;
    torch::jit::Module script("Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    script.register_parameter("weight", at::ones({4, 64}).requires_grad_(), /*is_buffer=*/false);
    script.register_parameter("scale", at::full({1}, 3.0F).expand({64}), /*is_buffer=*/false);
    script.register_buffer("mask", at::full({1}, 2.0F).expand({64}));
    script.define(
        "def forward(self, x):\n"
        "    return torch.matmul(x.flatten(1) * self.mask * self.scale, self.weight.t())\n");
    const std::string file = (sweep.folder / "net.pt").string();
    script.save(file);

    CHECK(problem_of_script(file) == "");
    const auto model = settings_of({{"model", file}}).model->make(four_classes);
    model->named_buffers()["mask"].fill_(0.5);
    CHECK(at::allclose(model->forward(at::ones({1, 8, 8})), at::full({1, 4}, 96.0F)));  // 64 · 0.5 · 3
}

TEST_CASE("a frozen parameter of a script is not sent as a buffer in each step unless forward() changes it") {
    const SweepFixture sweep;
    const auto names_of_buffers = [&](const std::string& body) {
        const Settings settings = settings_of({{"model", save_script(sweep.folder / "net.pt", body)}});
        return settings.model->make(four_classes)->named_buffers().keys();
    };
    const std::string changing = "    if self.training:\n        self.scale.detach().view(-1).mul_(0.5)\n" + linear;
    const std::string hidden =
        "    for each in [self.mean, self.scale]:\n"
        "        if self.training:\n"
        "            each.mul_(0.5)\n" +
        linear;

    CHECK(names_of_buffers(linear) == std::vector<std::string>{"mean"});
    CHECK(names_of_buffers(changing) == std::vector<std::string>{"scale", "mean"});
    CHECK(problem_of_script((sweep.folder / "net.pt").string()) == "");
    CHECK(has(problem_of_script(save_script(sweep.folder / "hidden.pt", hidden)),
              "hidden.pt changes its attribute scale in forward(), but the trial's other workers would not see"));
}

TEST_CASE("a frozen parameter keeps its value with init, ema and checkpoints of earlier versions") {
    const SweepFixture sweep;
    const auto device = make_cpu_device();
    const std::string file = save_script(sweep.folder / "net.pt", linear);
    const Settings settings = settings_of({{"model", file}, {"init", "kaiming"}, {"ema", 0.9}});
    const Trial trial(/*number=*/0, /*seed=*/1, settings, four_classes, *device);
    const auto values = [](const Trial& of, const std::string& name) {
        const auto tensors = of.named_tensors();
        return std::ranges::find(tensors, name, &NamedTensor::name)->tensor;
    };
    const auto checkpoint = checkpoint_of(trial, Json::object());
    REQUIRE(checkpoint.toGenericDict().at("ema").toGenericDict().erase("scale") == 1);  // as if it were a buffer
    write_checkpoint(sweep.folder / "checkpoint.pt", checkpoint);

    const auto read = read_checkpoint(sweep.folder / "checkpoint.pt", 0, /*seed=*/2, settings, *device);

    CHECK(values(trial, "scale").equal(at::ones({1})));
    CHECK(trial.learning_parameters().size() == 1);
    CHECK(values(*read, "weight").equal(values(trial, "weight")));
    for (const auto& [name, tensor] : read->averages()) {
        CHECK(tensor.equal(values(trial, name)));
    }
}

TEST_CASE("an error in a script's step is reported without the traceback and in terms of the settings") {
    const SweepFixture sweep;
    const auto message_of = [&](const std::string& body) {
        const Settings settings = settings_of({{"model", save_script(sweep.folder / "net.pt", body)}});
        const auto model = settings.model->make(four_classes);
        return crescendo::tests::error_of<std::runtime_error>([&] { model->forward(at::zeros({1, 8, 8})); });
    };

    const std::string of_torch = message_of("    return torch.matmul(x, self.weight)\n");
    const std::string raised = message_of("    assert x.size(0) > 1, 'one is too few'\n" + linear);
    const std::string of_norm = message_of(
        "    assert x.size(0) > 1, 'Expected more than 1 value per channel when training, got 1'\n" + linear);

    CHECK(has(of_torch, "RuntimeError: "));
    CHECK(has(raised, "one is too few"));
    CHECK(has(of_norm, "data.nan: skip left out the others"));
    for (const auto& message : {of_torch, raised, of_norm}) {
        CAPTURE(message);
        CHECK_FALSE(has(message, "\n"));
    }
}

TEST_CASE("a script's batch norm uses its running statistics for a single sample without updating them") {
    const SweepFixture sweep;
    const auto model = settings_of({{"model", save_normed_script(sweep.folder / "net.pt")}}).model->make(four_classes);
    const at::Tensor inputs = at::randn({1, 8, 8});
    model->train();
    model->forward(at::randn({5, 8, 8}));
    const at::Tensor mean = model->named_buffers()["norm.running_mean"].clone();

    const at::Tensor alone = model->forward(inputs);

    CHECK(model->named_buffers()["norm.running_mean"].equal(mean));
    model->forward(at::randn({5, 8, 8}));  // it is in training mode again
    CHECK_FALSE(model->named_buffers()["norm.running_mean"].equal(mean));
    model->named_buffers()["norm.running_mean"].copy_(mean);
    CHECK(mean.abs().sum().item<double>() > 0);
    CHECK(alone.sizes() == at::IntArrayRef{1, 4});
}

TEST_CASE("a script's batch norm without running statistics fails on a single sample and suggests remedies") {
    const SweepFixture sweep;
    const std::string file = save_normed_script(sweep.folder / "net.pt", /*keeps_statistics=*/false);
    const auto model = settings_of({{"model", file}}).model->make(four_classes);
    model->train();

    CHECK_THROWS_WITH(model->forward(at::randn({1, 8, 8})),
                      doctest::Contains("keep running statistics (track_running_stats=True), choose a batch_size"));
}

TEST_CASE("a script saved in evaluation mode is in training mode from its first step on") {
    const SweepFixture sweep;
    const std::string file = save_normed_script(sweep.folder / "net.pt", /*keeps_statistics=*/true, /*trains=*/false);
    const auto device = make_cpu_device();
    Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", file}}), four_classes, *device);
    const at::Tensor mean = trial.model().named_buffers()["norm.running_mean"];

    trial.forward(at::ones({5, 8, 8}));

    CHECK(mean.allclose(at::full({64}, 0.1)));  // a tenth of the samples' mean
}

TEST_CASE("measuring the noise leaves a script that couples samples without buffers bit-identical") {
    const SweepFixture sweep;
    const std::string file = save_normed_script(sweep.folder / "net.pt", /*keeps_statistics=*/false);
    const auto device = make_cpu_device();
    const at::Tensor inputs = at::randn({8, 8, 8});
    const auto trained_from = [&](std::int64_t first_step) {
        Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", file}, {"batch_size", 8}}), four_classes, *device);
        trial.set_group(/*size=*/1, {});
        trial.progress().step = first_step;
        const Group alone(*device);
        GradientReducer reducer(alone, trial.learning_parameters());
        LoadedBatch loaded;
        loaded.slice.member_samples = {8};
        loaded.slice.samples.resize(8);
        loaded.batch = {inputs, at::zeros({8}, at::kLong)};
        trial.step(loaded, alone, reducer);
        CHECK((trial.progress().noise_scale.gradient() != 0) == (first_step == 0));
        return trial.parameters().front().detach().clone();
    };

    CHECK(trained_from(/*first_step=*/0).equal(trained_from(/*first_step=*/1)));  // only step 0 is measured
}

TEST_CASE("a script with an unused parameter is refused, and its trial fails") {
    const SweepFixture sweep;
    const std::string file = save_script(sweep.folder / "net.pt", linear, /*num_outputs=*/4, /*idle=*/"head");
    const auto problem_with = [&](const Json& factors) {
        const Settings settings = settings_of({{"model", file}, {"lr_factors", factors}});
        const auto problems = misfits_of_network(settings, four_classes);
        return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
    };

    CHECK(has(problem_with(Json::object()), "trainer.model: the model does not use the parameter head"));
    CHECK(has(problem_with(Json::object()), "freeze it with lr_factors: {head: 0}"));
    CHECK(problem_with({{"head", 0}}) == "");

    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["model"] = file;
    crescendo.join({0}, "new", terms);
    CHECK(has(crescendo.await(0, "failed")["message"], "the model does not use the parameter head"));
}

TEST_CASE("the check for unused parameters does not use samples of zeros, which may be singular") {
    const SweepFixture sweep;
    const std::string whitening =
        "    x = torch.matmul(torch.inverse(torch.matmul(x, x.transpose(1, 2))), x)\n"
        "    outputs = torch.matmul(x.flatten(1), self.weight.t())\n"
        "    if bool(x.abs().sum() > 0):\n"
        "        outputs = outputs * self.head.sum()\n"
        "    return outputs\n";
    const std::string file = save_script(sweep.folder / "net.pt", whitening, /*num_outputs=*/4, /*idle=*/"head");

    CHECK(misfits_of_network(settings_of({{"model", file}}), four_classes).empty());
}

TEST_CASE("a script with sparse gradients is refused, and its trial fails") {
    const SweepFixture sweep;
    const std::string sparse =
        "    places = (x.flatten(1)[:, :4] * 0).long()\n"
        "    return torch.embedding(self.weight, places, -1, False, True).mean(2)\n";
    const std::string file = save_script(sweep.folder / "net.pt", sparse);
    const auto problems = misfits_of_network(settings_of({{"model", file}}), four_classes);

    REQUIRE(problems.size() == 1);
    CHECK(has(problems.front().message, "the gradient of the parameter weight is sparse"));
    CHECK(has(problems.front().message, "make its layer with sparse=False"));

    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["model"] = file;
    crescendo.join({0}, "new", terms);
    CHECK(has(crescendo.await(0, "failed")["message"], "the gradient of the parameter weight is sparse"));
}

TEST_CASE("init_from takes a script's tied weights under any of their names, even if the file has copies of them") {
    const SweepFixture sweep;
    const at::Tensor weight = at::zeros({4, 4});
    torch::jit::Module script("Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    script.register_parameter("first", weight.detach().requires_grad_(), /*is_buffer=*/false);
    script.register_parameter("second", weight.detach().requires_grad_(), /*is_buffer=*/false);
    script.define(
        "def forward(self, x):\n"
        "    return torch.matmul(torch.matmul(x.flatten(1)[:, :4], self.first), self.second)\n");
    const auto file = [&](const char* name) { return (sweep.folder / name).string(); };
    script.save(file("net.pt"));
    const auto device = make_cpu_device();
    const auto sum_from = [&](const std::map<std::string, at::Tensor>& tensors) {
        std::vector<NamedTensor> named;
        for (const auto& [name, tensor] : tensors) {
            named.push_back({name, tensor});
        }
        write_safetensors(file("weights.safetensors"), named);
        const Settings settings = settings_of({{"model", file("net.pt")}, {"init_from", file("weights.safetensors")}});
        Trial trial(/*number=*/0, /*seed=*/1, settings, four_classes, *device);
        take_first_weights(trial);
        return trial.parameters().front().sum().item<double>();
    };
    const at::Tensor ones = at::ones({4, 4});

    CHECK(sum_from({{"first", ones}}) == 16);
    CHECK(sum_from({{"second", ones}}) == 16);
    CHECK(sum_from({{"first", ones}, {"second", ones}}) == 16);
    CHECK_THROWS_WITH(sum_from({{"first", ones}, {"second", 2 * ones}}), doctest::Contains("the model has no second"));
}

TEST_CASE("a transposed view of a parameter is a parameter of its own, not a second name for the same one") {
    const SweepFixture sweep;
    const at::Tensor weight = at::arange(16, at::kFloat).view({4, 4});
    torch::jit::Module script("Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    script.register_parameter("first", weight.detach().requires_grad_(), /*is_buffer=*/false);
    script.register_parameter("second", weight.t().detach().requires_grad_(), /*is_buffer=*/false);
    script.define(
        "def forward(self, x):\n"
        "    return torch.matmul(torch.matmul(x.flatten(1)[:, :4], self.first), self.second)\n");
    const std::string file = (sweep.folder / "net.pt").string();
    script.save(file);

    const auto model = settings_of({{"model", file}}).model->make(four_classes);

    CHECK(model->parameters().size() == 2);
    CHECK(at::allclose(model->forward(at::ones({1, 8, 8})), weight.mm(weight.t()).sum(0, /*keepdim=*/true)));
}

TEST_CASE("a script may return the outputs of a regression in any shape") {
    const SweepFixture sweep;
    const Settings settings = settings_of({{"model", save_script(sweep.folder / "net.pt", linear)}});
    Task task = four_classes;
    task.kind = Task::Kind::regression;
    task.target_shape = {2, 2};

    CHECK(problem(settings, task) == "");
    task.num_outputs = 3;
    CHECK(has(problem(settings, task), "3 numbers for each"));
}
