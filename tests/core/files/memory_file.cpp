#include "core/files/memory_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

using namespace crescendo;

TEST_CASE("a file in memory can be written and read until its owner is destroyed") {
    std::optional<MemoryFile> file(std::in_place, "test");
    const auto path = file->path();
    CHECK(std::filesystem::file_size(path) == 0);

    std::ofstream(path) << "word";
    std::string word;
    std::ifstream(path) >> word;

    CHECK(word == "word");
    file.reset();
    CHECK_FALSE(std::filesystem::exists(path));
}
