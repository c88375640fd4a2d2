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

/// A word that a setting takes, and the reader of the settings that go with it. "*.pt" stands for every word that ends
/// with ".pt".
template <class Spec>
struct Choice {
    const char* name;
    std::function<std::shared_ptr<Spec>(Section& section)> read;
};

using ModelTable = std::vector<Choice<ModelSpec>>;
using OptimizerTable = std::vector<Choice<OptimizerSpec>>;
using LossTable = std::vector<Choice<LossSpec>>;

/// What the settings `model` and `optimizer` may name. The first of each is the default.
///
/// The tables are an argument of parse_settings, because a model is one file and one row: its settings stand beside its
/// network, which needs Torch. Reading settings needs none. Its tests bring models of their own, and a test of the
/// trainer may add one.
struct Catalogue {
    ModelTable models;
    OptimizerTable optimizers;
    LossTable losses = {};  ///< those of plug-ins, besides loss_words

    /// Adds what a plug-in has to a catalogue, for the setting `plugins`. Throws InvalidInput if the library is none.
    /// If this is empty, there is no such setting.
    std::function<void(const std::string& library, Catalogue& catalogue)> add_plugin = {};

    /// What of the settings does not fit the network that they make. It makes one, unless no setting asks for it. If
    /// this is empty, nobody looks before a trial begins.
    std::function<std::vector<Problem>(const Settings& settings, const Task& task)> misfits_of_network = {};
};

}  // namespace crescendo::trainer
