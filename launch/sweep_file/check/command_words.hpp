#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace crescendo::launch {

// Guesses the roles of a command's words from their text alone. A command has at least one word.

/// Index of the program, which may come after `env -u A B=1`.
std::size_t find_program(const std::vector<std::string>& command);

/// Index of the script that the command's interpreter runs; nothing if no word looks like one.
std::optional<std::size_t> find_script(const std::vector<std::string>& command);

/// The path of the module that an interpreter runs by -m, relative to the current folder. Empty if there is no -m, or
/// if it runs the adapter for W&B. The file need not exist.
std::string file_of_module(const std::vector<std::string>& command);

/// Index of a word that launches processes, such as mpirun. These do not inherit descriptors.
std::optional<std::size_t> find_launcher(const std::vector<std::string>& words);

/// Whether a word tells the program its trial. Folders may then be relative to the trial's own.
bool tells_trial(const std::vector<std::string>& command);

/// Index of an option `--output_dir`, as scripts with Hugging Face's Trainer have, that is the same for all trials.
/// Nothing if tells_trial().
std::optional<std::size_t> find_shared_output(const std::vector<std::string>& command);

/// Whether the program is `conda run`, or the same of mamba or micromamba. The program that it starts inherits no
/// descriptors.
bool is_run_by_conda(const std::vector<std::string>& command);

/// Whether `conda run` holds back the program's output until the program ends.
bool is_held_back_by_conda(const std::vector<std::string>& command);

}  // namespace crescendo::launch
