#pragma once
/// Models and losses of your own for crescendo-trainer, in a shared library.
///
/// Derive from Model, and list your models and losses in CRESCENDO_MODEL_PLUGIN. docs/your-own-model.md is the guide,
/// examples/plugin-model/ a project to copy. This header needs LibTorch, in the version that crescendo-trainer has.
///
/// The library is loaded by crescendo-trainer, so it may throw or crash: that costs a trial a retry, not the sweep.

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

/// Version of the boundary between crescendo-trainer and a plug-in: of the classes below.
#define CRESCENDO_MODEL_PLUGIN_ABI 1

#define CRESCENDO_MODEL_PLUGIN_TEXT_OF(value) #value
#define CRESCENDO_MODEL_PLUGIN_TEXT(macro) CRESCENDO_MODEL_PLUGIN_TEXT_OF(macro)
#define CRESCENDO_MODEL_PLUGIN_MARKER "crescendo model plug-in: "

/// What a library was built for. crescendo-trainer reads this text in the file. It refuses a library that was built for
/// something else before it runs any code of it, because classes of another version of torch have other layouts.
#define CRESCENDO_MODEL_PLUGIN_LABEL                                                                  \
    CRESCENDO_MODEL_PLUGIN_MARKER "version " CRESCENDO_MODEL_PLUGIN_TEXT(CRESCENDO_MODEL_PLUGIN_ABI)  \
        " of crescendo/model_plugin.hpp and torch " TORCH_VERSION ";"

namespace crescendo::plugin {

/// What the samples ask of a model.
struct Task {
    enum class Kind {
        classification,  ///< targets are the numbers of classes, from 0
        regression,      ///< targets are floating-point numbers
    };

    Kind kind = Kind::classification;
    std::vector<std::int64_t> input_shape;   ///< of one sample: {28, 28}
    std::vector<std::int64_t> target_shape;  ///< of one sample; empty for a scalar
    std::int64_t num_outputs = 0;            ///< classes, or numbers to predict for a sample
};

/// The model cannot learn from such samples. Throw it where a model is made; the user reads its words before a trial
/// starts.
struct Misfit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A network of float32 parameters, registered as with every module of torch, as are its buffers: these are what
/// checkpoints hold, and what workers that join get. A buffer that forward() changes must be changed in place.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, shape of a sample…) of float32 → (samples, num_outputs) of float32: scores of the classes
    /// before the softmax, or the numbers to predict, which may have any shape behind the samples.
    ///
    /// The number of samples, at least one, differs from call to call: a worker's share of the batch, more in an
    /// evaluation, fewer at an epoch's end. One thread calls at a time. A model serves one trial in one process;
    /// another one may be made before it is gone.
    ///
    /// Before each call torch's generator gets a seed that follows from the samples. So dropout and the like repeat
    /// themselves, and leave no state behind.
    virtual at::Tensor forward(const at::Tensor& inputs) = 0;
};

/// A setting of a model or a loss, which the sweep file may give or search.
struct Option {
    std::string name;
    Value fallback;                  ///< where the sweep file does not give it; its type is that of the option
    double min = 0.0;                ///< of numbers: the least one allowed
    double below = 0.0;              ///< of floating-point numbers: the first one too large
    std::int64_t max = 0;            ///< of whole numbers: the largest one allowed
    std::vector<std::string> words;  ///< of texts: those allowed
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

/// One of some words.
inline Option choice(std::string name, std::string fallback, std::vector<std::string> words) {
    return {std::move(name), std::move(fallback), 0.0, 0.0, 0, std::move(words)};
}

/// Makes a model from its options, all of which have a value.
using ModelFactory = std::function<std::shared_ptr<Model>(const Config& options, const Task& task)>;

/// The losses of samples, (samples) of float32. `outputs` (samples, num_outputs); `targets` (samples) of int64 for
/// classes, else (samples, num_outputs) of float32.
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

/// For CRESCENDO_MODEL_PLUGIN: what `model: name` means.
inline Registration register_model(std::string name, ModelFactory factory, std::vector<Option> options = {}) {
    return RegisteredModel{std::move(name), std::move(factory), std::move(options)};
}

/// For CRESCENDO_MODEL_PLUGIN: what `loss: name` means.
inline Registration register_loss(std::string name, LossFunction losses, std::vector<Option> options = {}) {
    return RegisteredLoss{std::move(name), std::move(losses), std::move(options)};
}

}  // namespace crescendo::plugin

/// Lists the models and losses of a plug-in, once in its library:
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
