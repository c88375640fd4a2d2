#include "core/shell_words.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>

using namespace crescendo;

namespace {

std::string output_of(const std::string& command) {
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 256> buffer{};
    const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe);
    ::pclose(pipe);
    return {buffer.data(), count};
}

}  // namespace

TEST_CASE("any text survives a shell") {
    for (const std::string text : {"", "a b", "it's", "$(x) `y` \\", "a\nb", "*"}) {
        CHECK(output_of("printf %s. " + shell_quoted(text)) == text + ".");
    }
}

TEST_CASE("a quoted word is read back, but other shell syntax is not") {
    for (const std::string text : {"", "/a/b", "a b", "it's", "$(x) `y` \\", "'"}) {
        CHECK(shell_unquoted(shell_quoted(text)) == text);
    }
    for (const std::string word : {"\"$HOME/s\"", "/s  # mine", "'a'b", "'"}) {
        CHECK_FALSE(shell_unquoted(word));
    }
}

TEST_CASE("a plain word stays as it is") {
    CHECK(shell_quoted(std::string("data/a-1.h5:/train")) == "data/a-1.h5:/train");
    CHECK(shell_quoted(std::string("data.h5:/train[0:8]")) == "'data.h5:/train[0:8]'");
    CHECK_FALSE(is_plain_word(""));
}
