#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class Model;
struct Task;

/// A model as the settings describe it, before there is a network. Each model derives its own, with its own settings.
///
/// It uses no Torch by itself: networks appear as a pointer.
class ModelSpec {
  public:
    virtual ~ModelSpec() = default;

    /// Makes the network on the CPU. Its weights come from torch's generator, which the caller seeds before.
    virtual std::shared_ptr<Model> make(const Task& task) const = 0;

    /// Whether nothing but parameters and buffers remains of the random numbers that make() draws. Then a network that
    /// gets these from elsewhere is made without drawing any.
    virtual bool draws_only_weights() const { return true; }

    /// Whether the network is a user's, of which nothing is known: then whether all its parameters learn is tried.
    virtual bool is_users() const { return false; }

    /// What keeps the model from learning from these samples, beyond what keeps every model from it. `data` says how
    /// they are read, and `data_key` is the setting that names them.
    virtual std::vector<Problem> misfits(const datasets::SampleSet& /*samples*/, const DataSettings& /*data*/,
                                         const std::string& /*data_key*/) const {
        return {};
    }

    /// What keeps the model from learning a task whose samples have no misfits.
    virtual std::vector<Problem> misfits_of_task(const Task& /*task*/) const { return {}; }

    /// Whether the model learns to give back the inputs of these samples, rather than to predict their targets.
    virtual bool reconstructs(const datasets::SampleSet& /*samples*/) const { return false; }

    /// Writes a network that this made as a file that Python runs without Crescendo, and returns the file's name:
    /// "model.py", plain torch with a function make_model(), whose weights are elsewhere; or "model.ts", TorchScript
    /// with the weights. An empty name: there is no such file, because only a plug-in knows its network.
    virtual std::string write_network(const Model& /*model*/, const Task& /*task*/,
                                      const std::filesystem::path& /*folder*/) const {
        return {};
    }

    std::string name;  ///< the word that chose it
};

}  // namespace crescendo::trainer
