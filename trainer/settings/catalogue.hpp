#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace crescendo::trainer {

class LossSpec;
class ModelSpec;
class Section;
struct OptimizerSpec;
struct Problem;
struct Settings;
struct Task;

/// A word that a setting accepts, and the function that reads the settings for it. "*.pt" matches every word that ends
/// with ".pt".
template <class Spec>
struct Choice {
    const char* name;
    std::function<std::shared_ptr<Spec>(Section& section)> read;
};

using ModelTable = std::vector<Choice<ModelSpec>>;
using OptimizerTable = std::vector<Choice<OptimizerSpec>>;
using LossTable = std::vector<Choice<LossSpec>>;

/// The models, optimizers and losses that settings may name. The first model and the first optimizer are the defaults.
///
/// The tables are an argument of parse_settings, so that reading settings does not depend on Torch: a model's settings
/// are in the same file as its network, which needs Torch. Tests of the settings use models of their own, and a test of
/// the trainer may add one.
struct Catalogue {
    ModelTable models;
    OptimizerTable optimizers;
    LossTable losses = {};  ///< losses of plug-ins, besides loss_words

    /// Adds the models and losses of a plug-in to a catalogue, for the setting `plugins`. Throws InvalidInput if the
    /// library is not a plug-in. If this is empty, the setting `plugins` does not exist.
    std::function<void(const std::string& library, Catalogue& catalogue)> add_plugin = {};

    /// Returns how the settings do not fit their network. It makes the network only if a setting requires the check. If
    /// this is empty, the check happens only when a trial begins.
    std::function<std::vector<Problem>(const Settings& settings, const Task& task)> misfits_of_network = {};
};

}  // namespace crescendo::trainer
