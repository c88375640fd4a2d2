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

/// A model as the settings describe it, before its network exists. Each model derives its own class, with its own
/// settings.
///
/// This header needs no Torch: networks appear only as pointers.
class ModelSpec {
  public:
    virtual ~ModelSpec() = default;

    /// Makes the network on the CPU. Its weights are drawn from torch's generator, which the caller seeds first.
    virtual std::shared_ptr<Model> make(const Task& task) const = 0;

    /// Whether the random numbers that make() draws affect only parameters and buffers. If so, a network whose
    /// parameters and buffers will be loaded is made without drawing them.
    virtual bool draws_only_weights() const { return true; }

    /// Whether the network is a user's. Nothing is known about such a network, so a check tries whether all of its
    /// parameters learn.
    virtual bool is_users() const { return false; }

    /// Returns what keeps this model from learning from these samples, beyond the problems that every model would have.
    /// `data` says how the samples are read, and `data_key` is the setting that names them.
    virtual std::vector<Problem> misfits(const datasets::SampleSet& /*samples*/, const DataSettings& /*data*/,
                                         const std::string& /*data_key*/) const {
        return {};
    }

    /// Returns what keeps the model from learning a task whose samples have no misfits.
    virtual std::vector<Problem> misfits_of_task(const Task& /*task*/) const { return {}; }

    /// Whether the model learns to reconstruct the inputs of these samples instead of predicting their targets.
    virtual bool reconstructs(const datasets::SampleSet& /*samples*/) const { return false; }

    /// Writes a network that make() made to a file that Python can run without Crescendo, and returns the file's name:
    /// "model.py", plain PyTorch with a function make_model(), without the weights; or "model.ts", TorchScript with the
    /// weights. Returns an empty name if no file is possible, because only a plug-in knows the network.
    virtual std::string write_network(const Model& /*model*/, const Task& /*task*/,
                                      const std::filesystem::path& /*folder*/) const {
        return {};
    }

    std::string name;  ///< the word that chose it
};

}  // namespace crescendo::trainer
