#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace crescendo::tests {

/// Whether the interpreter of scripts/install.sh has h5py, and so NumPy. Prints a message if it does not.
inline bool has_h5py() {
    const bool has = std::system((std::string(PYTHON) + " -c 'import h5py' 2>/dev/null").c_str()) == 0;
    if (!has) {
        MESSAGE("skipped: ", PYTHON, " has no h5py; scripts/install.sh installs one that has");
    }
    return has;
}

/// Runs a script of this folder. Returns the lines of two words that it prints.
inline std::vector<std::pair<std::string, std::string>> run_python(const std::string& script,
                                                                   const std::filesystem::path& folder) {
    const auto list = (folder / "list").string();
    const auto command = std::string(PYTHON) + " " + TEST_FOLDER + "/" + script + " " + folder.string() + " >" + list;
    REQUIRE(std::system(command.c_str()) == 0);
    std::vector<std::pair<std::string, std::string>> lines;
    std::ifstream in(list);
    for (std::string first, second; in >> first >> second;) {
        lines.emplace_back(first, second);
    }
    return lines;
}

}  // namespace crescendo::tests
