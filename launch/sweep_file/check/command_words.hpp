#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace crescendo::launch {

// What the words of a command are, by their looks alone. There is at least one word.

/// Index of the word that is the program, which may stand behind `env -u A B=1`.
std::size_t find_program(const std::vector<std::string>& command);

/// Index of the word that is the script which its interpreter runs, if it seems to be one.
std::optional<std::size_t> find_script(const std::vector<std::string>& command);

/// The file of a module that an interpreter runs by -m, as seen from the present folder; empty if it is none of here.
std::string file_of_module(const std::vector<std::string>& command);

/// Index of the word that is a launcher of processes, which hands on no descriptor.
std::optional<std::size_t> find_launcher(const std::vector<std::string>& words);

/// Whether the program is `conda run`, or one of its kin: it hands on no descriptor.
bool is_run_by_conda(const std::vector<std::string>& command);

/// Whether that shows what its program prints at the program's end only.
bool is_held_back_by_conda(const std::vector<std::string>& command);

}  // namespace crescendo::launch
