#include "trainer/settings.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "trainer/section.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

DataSettings parse_data(const json& object, std::vector<Problem>& problems) {
    DataSettings data;
    Section section(object, "trainer.data", problems);
    section.text("train", data.train);
    section.text("validation", data.validation);
    section.text("test", data.test);
    section.bytes("memory", data.memory);
    section.integer("threads", data.threads, 1, 256);
    section.choice("shuffle", data.shuffle,
                   {{"windowed", datasets::Shuffle::windowed}, {"none", datasets::Shuffle::none}});
    section.reject_unknown();
    if (data.train.empty() && !section.has("train")) {
        problems.push_back({"trainer.data.train",
                            "missing: a trial has nothing to learn from; "
                            "name the training samples as FILE:/GROUP"});
    }
    return data;
}

void read_model(Section& section, Settings& settings) {
    section.choice("model", settings.model,
                   {{"cnn", ModelKind::cnn}, {"mlp", ModelKind::mlp}, {"autoencoder", ModelKind::autoencoder}});
    const bool mlp = settings.model == ModelKind::mlp;
    settings.width = mlp ? 128 : 16;
    section.integer("width", settings.width, 1, 1 << 20);
    section.integer("depth", settings.depth, mlp ? 0 : 1, mlp ? 256 : 12);
    section.integer("latent", settings.latent, 1, 1 << 20);
    section.choice("activation", settings.activation,
                   {{"relu", Activation::relu},
                    {"leaky_relu", Activation::leaky_relu},
                    {"gelu", Activation::gelu},
                    {"silu", Activation::silu},
                    {"tanh", Activation::tanh}});
    section.number("dropout", settings.dropout, {.min = 0.0, .below = 1.0});
    section.integer("classes", settings.classes, 2, 1 << 24);
}

void read_optimizer(Section& section, Settings& settings) {
    section.choice("optimizer", settings.optimizer,
                   {{"sgd", OptimizerKind::sgd}, {"adam", OptimizerKind::adam}, {"adamw", OptimizerKind::adamw}});
    const bool sgd = settings.optimizer == OptimizerKind::sgd;
    settings.lr = sgd ? 0.01 : 0.001;
    settings.weight_decay = settings.optimizer == OptimizerKind::adamw ? 0.01 : 0.0;
    settings.lr_scaling = sgd ? LearningRateScaling::linear : LearningRateScaling::sqrt;
    section.number("lr", settings.lr, {.min = 0.0, .below = unbounded});
    section.number("momentum", settings.momentum, {.min = 0.0, .below = 1.0});
    section.flag("nesterov", settings.nesterov);
    section.number("weight_decay", settings.weight_decay, {.min = 0.0, .below = unbounded});
    section.integer("batch_size", settings.batch_size, 1, 1 << 24);
    section.choice("lr_scaling", settings.lr_scaling,
                   {{"linear", LearningRateScaling::linear},
                    {"sqrt", LearningRateScaling::sqrt},
                    {"none", LearningRateScaling::none}});
    section.number("rescale_warmup", settings.rescale_warmup, {.min = 0.0, .below = unbounded});
    section.choice("optimizer_state", settings.optimizer_state,
                   {{"keep", StateAtRegroup::keep}, {"reset", StateAtRegroup::reset}});
}

}  // namespace

Settings parse_settings(const json& object, std::vector<Problem>& problems) {
    Settings settings;
    Section section(object, "trainer", problems);
    read_model(section, settings);
    read_optimizer(section, settings);
    settings.data = parse_data(section.object("data"), problems);
    section.reject_unknown();
    return settings;
}

void require_none(const std::vector<Problem>& problems) {
    std::string lines;
    for (const auto& problem : problems) {
        lines += text("{}{}: {}", lines.empty() ? "" : "\n", problem.key, problem.message);
    }
    CRESCENDO_VALIDATE(problems.empty(), problems.front().key, "{}", lines);
}

}  // namespace crescendo::trainer
