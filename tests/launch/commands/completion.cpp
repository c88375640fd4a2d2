#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

namespace {

/// What bash offers for the last of these words.
std::string completed(const std::vector<std::string>& words) {
    const TemporaryFolder folder;
    write_file(folder / "script", run_crescendo(folder.path(), {"completion", "bash"}).out);
    std::string line = "source ./script; COMP_WORDS=(";
    for (const auto& word : words) {
        line += "'" + word + "' ";
    }
    line += "); COMP_CWORD=" + std::to_string(words.size() - 1) + "; _crescendo; echo ${COMPREPLY[@]} > out";
    const auto bash = "cd '" + folder.path().string() + "' && bash -u -c \"" + [&] {
        std::string quoted;
        for (const char c : line) {
            quoted += c == '$' ? "\\$" : std::string(1, c);
        }
        return quoted;
    }() + "\"";
    CHECK(std::system(bash.c_str()) == 0);
    auto text = content_of(folder / "out");
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("bash completes commands, options and the words that an option takes") {
    CHECK(completed({"crescendo", "sto"}) == "stop");
    CHECK(contains(completed({"crescendo", ""}), "resume"));
    CHECK(completed({"crescendo", "resume", "s", "--retry"}) == "--retry-failed");
    CHECK(completed({"crescendo", "status", "s", "--format", "j"}) == "json");
    CHECK(completed({"crescendo", "completion", "z"}) == "");
    CHECK(completed({"crescendo", "status", "some"}) == "");  // the shell completes names of files
}

TEST_CASE("zsh gets the same function, behind what makes zsh understand it") {
    const TemporaryFolder folder;
    const auto bash = run_crescendo(folder.path(), {"completion", "bash"}).out;
    const auto zsh = run_crescendo(folder.path(), {"completion", "zsh"}).out;

    CHECK(zsh.starts_with("#compdef crescendo\n"));
    CHECK(contains(zsh, "bashcompinit"));
    CHECK(zsh.ends_with(bash));
    CHECK(run_crescendo(folder.path(), {"completion", "fish"}).code == 2);
}
