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

TEST_CASE("zsh completes the same words, whether it sources the script or loads it as a function") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "functions");
    write_file(folder / "functions/_crescendo", run_crescendo(folder.path(), {"completion", "zsh"}).out);
    CHECK(content_of(folder / "functions/_crescendo").starts_with("#compdef crescendo\n"));
    CHECK(run_crescendo(folder.path(), {"completion", "fish"}).code == 2);
    if (std::system("command -v zsh > /dev/null") != 0) {
        MESSAGE("skipped: there is no zsh here");
        return;
    }
    // Outside its line editor, zsh cannot offer any choices, so they are printed.
    const std::string begin = "compdef() { :; }; _files() { print files; }; compadd() { print -r -- ${@:2} > out; }\n";
    for (const std::string way : {"source functions/_crescendo", "fpath+=functions; autoload -U _crescendo"}) {
        CAPTURE(way);
        const auto completed = [&](const std::string& words, int current) {
            write_file(folder / "try", begin + way + "\nwords=(" + words + ") CURRENT=" + std::to_string(current) +
                                           "\n_crescendo\n");
            CHECK(std::system(("cd '" + folder.path().string() + "' && zsh -f ./try").c_str()) == 0);
            return content_of(folder / "out");
        };
        CHECK(contains(completed("crescendo sto", 2), " stop "));
        CHECK(contains(completed("crescendo resume s --re", 4), " --retry-failed "));
        CHECK(completed("crescendo status s --format j", 5) == "table json csv\n");
        CHECK(completed("crescendo status some", 3) == "\n");  // and then names of files
    }
}
