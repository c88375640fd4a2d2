#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace caffe2::serialize {
class PyTorchStreamReader;
}

namespace crescendo::trainer {

/// The tensors of a file that Python's torch.save or crescendo-trainer wrote, nested in dicts as in the file.
struct SavedTensors {
    std::map<std::string, at::Tensor> tensors = {};
    std::map<std::string, SavedTensors> dicts = {};  ///< by key; only dicts that hold tensors
    std::map<std::string, std::string> texts = {};   ///< by key, such as a checkpoint's settings
};

/// Reads a file of Python's torch.save or crescendo-trainer. It runs no code from the file: it reads a pickle's dicts,
/// tensors and texts, and skips everything else. Throws std::runtime_error or c10::Error if the file has another format
/// or is damaged.
///
/// torch::pickle_load cannot be used, because it rejects OrderedDict, the type of a state_dict.
SavedTensors read_saved_tensors(const std::filesystem::path& path);

/// Throws std::runtime_error or c10::Error if the file's pickle cannot be read to its end. Loads no tensors. For
/// torch's own reader, which allocates whatever length a damaged pickle has, up to 4 GB, before it reads the text.
void require_whole_pickle(caffe2::serialize::PyTorchStreamReader& records);

}  // namespace crescendo::trainer
