#pragma once
/// Models and losses of your own for crescendo-trainer, in a shared library.
///
/// Derive from Model, and list your models and losses in CRESCENDO_MODEL_PLUGIN. See docs/your-own-model.md for the
/// guide and examples/plugin-model/ for a project to copy. This header needs LibTorch, in the version that
/// crescendo-trainer uses.
///
/// crescendo-trainer loads the library. If it throws or crashes, that costs one trial a retry, not the sweep.

#include <torch/nn/module.h>
#include <torch/version.h>

#include <crescendo/plugin.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Version of the interface between crescendo-trainer and a plug-in: the classes below.
#define CRESCENDO_MODEL_PLUGIN_ABI 1

#define CRESCENDO_MODEL_PLUGIN_TEXT_OF(value) #value
#define CRESCENDO_MODEL_PLUGIN_TEXT(macro) CRESCENDO_MODEL_PLUGIN_TEXT_OF(macro)
#define CRESCENDO_MODEL_PLUGIN_MARKER "crescendo model plug-in: "

/// The versions that a library was built for. crescendo-trainer reads this text from the file, and refuses a library
/// for other versions before it runs any of its code, because classes of another torch version have other layouts.
#define CRESCENDO_MODEL_PLUGIN_LABEL                                                                  \
    CRESCENDO_MODEL_PLUGIN_MARKER "version " CRESCENDO_MODEL_PLUGIN_TEXT(CRESCENDO_MODEL_PLUGIN_ABI)  \
        " of crescendo/model_plugin.hpp and torch " TORCH_VERSION ";"

namespace crescendo::plugin {

/// What the samples require from a model.
struct Task {
    enum class Kind {
        classification,  ///< targets are class numbers from 0
        regression,      ///< targets are floating-point numbers
    };

    Kind kind = Kind::classification;
    std::vector<std::int64_t> input_shape;   ///< of one sample: {28, 28}
    std::vector<std::int64_t> target_shape;  ///< of one sample; empty for a scalar
    std::int64_t num_outputs = 0;            ///< classes, or numbers to predict for a sample
};

/// The model cannot learn from such samples. Throw it from a model's constructor or factory; the user sees the message
/// before a trial starts.
struct Misfit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A network with float32 parameters. Register parameters and buffers as in every torch module: checkpoints save these,
/// and joining workers receive them. If forward() changes a buffer, it must change it in place.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, shape of a sample…) of float32 → (samples, num_outputs) of float32: class scores before the
    /// softmax, or the numbers to predict, which may have any shape after the axis of samples.
    ///
    /// The number of samples, at least one, differs from call to call: a worker's share of the batch, more in an
    /// evaluation, fewer at the end of an epoch. Only one thread calls at a time. A model serves one trial in one
    /// process; another model may be made before this one is destroyed.
    ///
    /// Before each call, torch's generator is seeded from the samples. So dropout and the like are reproducible and
    /// need no saved state.
    virtual at::Tensor forward(const at::Tensor& inputs) = 0;
};

/// A setting of a model or a loss, which the sweep file may set or search.
struct Option {
    std::string name;
    Value fallback;                  ///< used if the sweep file has no value; its type is the option's type
    double min = 0.0;                ///< for numbers: smallest allowed value
    double below = 0.0;              ///< for floating-point numbers: exclusive upper limit
    std::int64_t max = 0;            ///< for whole numbers: largest allowed value
    std::vector<std::string> words;  ///< for texts: the allowed values
};

inline Option integer(std::string name, std::int64_t fallback, std::int64_t min, std::int64_t max) {
    return {std::move(name), fallback, static_cast<double>(min), 0.0, max, {}};
}

/// A floating-point number, at least `min` and less than `below`.
inline Option number(std::string name, double fallback, double min,
                     double below = std::numeric_limits<double>::infinity()) {
    return {std::move(name), fallback, min, below, 0, {}};
}

inline Option flag(std::string name, bool fallback) { return {std::move(name), fallback, 0.0, 0.0, 0, {}}; }

/// A text that must be one of `words`.
inline Option choice(std::string name, std::string fallback, std::vector<std::string> words) {
    return {std::move(name), std::move(fallback), 0.0, 0.0, 0, std::move(words)};
}

/// Makes a model from its options, all of which have a value.
using ModelFactory = std::function<std::shared_ptr<Model>(const Config& options, const Task& task)>;

/// Returns the loss of each sample, (samples) of float32. `outputs` (samples, num_outputs); `targets` (samples) of
/// int64 for classes, else (samples, num_outputs) of float32.
using LossFunction =
    std::function<at::Tensor(const at::Tensor& outputs, const at::Tensor& targets, const Config& options)>;

struct RegisteredModel {
    std::string name;
    ModelFactory make;
    std::vector<Option> options;
};

struct RegisteredLoss {
    std::string name;
    LossFunction losses;
    std::vector<Option> options;
};

using Registration = std::variant<RegisteredModel, RegisteredLoss>;

/// A factory for register_model: calls the constructor of `Network` with the options and the task.
template <class Network>
std::shared_ptr<Model> make(const Config& options, const Task& task) {
    return std::make_shared<Network>(options, task);
}

/// For CRESCENDO_MODEL_PLUGIN: the model that `model: name` selects.
inline Registration register_model(std::string name, ModelFactory factory, std::vector<Option> options = {}) {
    return RegisteredModel{std::move(name), std::move(factory), std::move(options)};
}

/// For CRESCENDO_MODEL_PLUGIN: the loss that `loss: name` selects.
inline Registration register_loss(std::string name, LossFunction losses, std::vector<Option> options = {}) {
    return RegisteredLoss{std::move(name), std::move(losses), std::move(options)};
}

}  // namespace crescendo::plugin

/// Lists the models and losses of a plug-in. Use it once per library:
///
///     CRESCENDO_MODEL_PLUGIN(register_model("mine", make<Mine>, {integer("width", 64, 1, 4096)}),
///                            register_loss("log_cosh", log_cosh, {number("scale", 1.0, 1e-6)}))
#define CRESCENDO_MODEL_PLUGIN(...)                                                                        \
    extern "C" __attribute__((visibility("default"))) const char crescendo_model_plugin_label[];           \
    const char crescendo_model_plugin_label[] = CRESCENDO_MODEL_PLUGIN_LABEL;                              \
    extern "C" __attribute__((visibility("default"))) const std::vector<crescendo::plugin::Registration>*  \
    crescendo_model_plugin_entry() {                                                                       \
        static const std::vector<crescendo::plugin::Registration> all{__VA_ARGS__};                        \
        return &all;                                                                                       \
    }
