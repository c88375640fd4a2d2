#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace crescendo::trainer {

/// The tensors of a file that Python's torch.save or crescendo-trainer wrote, in the file's dicts.
struct SavedTensors {
    std::map<std::string, at::Tensor> tensors = {};
    std::map<std::string, SavedTensors> dicts = {};  ///< by their keys, those that hold tensors
    std::map<std::string, std::string> texts = {};   ///< by their keys, such as a checkpoint's settings
};

/// Reads such a file. It runs no code: of a pickle, it knows dicts, tensors and texts, and passes over everything else.
/// Throws std::runtime_error or c10::Error if it is no such file, or is damaged.
///
/// (torch::pickle_load takes no OrderedDict, which is what a state_dict is.)
SavedTensors read_saved_tensors(const std::filesystem::path& path);

}  // namespace crescendo::trainer
