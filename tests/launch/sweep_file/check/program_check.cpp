#include "launch/sweep_file/check/checks.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/error_of.hpp"
#include "tests/launch/sweep_file/sound_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;
using crescendo::tests::parse;
using crescendo::tests::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

std::string problem_of_program(const std::string& word, const std::string& key = "command") {
    return no_program(word, key, parse());
}

std::string problem_of_file(const std::string& path, const std::string& key = "command") {
    return no_file(path, key, parse());
}

/// The problem with a program whose text has this beginning.
std::string problem_of_text(const std::string& begin, fs::perms permissions = fs::perms::owner_all) {
    const TemporaryFolder folder;
    const auto path = folder / "train.sh";
    std::ofstream(path) << begin;
    fs::permissions(path, permissions);
    auto problem = problem_of_program(path.string());
    const auto name = path.string();
    for (auto at = problem.find(name); at != std::string::npos; at = problem.find(name)) {
        problem.replace(at, name.size(), "PATH");
    }
    return problem;
}

}  // namespace

TEST_CASE("an existing program is fine, and the message about a missing or unusable one says what to do") {
    CHECK(problem_of_program("sh").empty());
    CHECK(problem_of_program("/bin/sh").empty());
    CHECK(problem_of_program("no-such") ==
          "there is no program 'no-such'; give its path, or the name of a program on PATH");
    CHECK(problem_of_text("true\n", fs::perms::owner_read) ==
          "'PATH' is not executable; run `chmod +x PATH`, or write its interpreter before it");
}

TEST_CASE("a missing interpreter of a program is distinguished from a missing program") {
    CHECK(problem_of_text("#!/no/such/bash -e\ntrue\n") ==
          "the first line of 'PATH' asks for '/no/such/bash', which is not a program; fix that line, or write an "
          "interpreter before the file");
    CHECK(problem_of_text("#!/usr/bin/env bash\r\ntrue\r\n") ==
          "'PATH' has Windows line endings, so its interpreter is not found; run `sed -i 's/\\r$//' PATH`");
    CHECK(problem_of_text("#! /usr/bin/env bash\ntrue\n").empty());
    CHECK(problem_of_text("#!").empty());
    CHECK(problem_of_text("").empty());
}

TEST_CASE("the message about a missing path suggests what was meant") {
    CHECK(problem_of_program("sh train.sh") ==
          "there is no program 'sh train.sh'; write each word as a separate item, as in command: [sh, train.sh, "
          "\"${args}\"]");
    CHECK(problem_of_program("sh -c done", "on_finish") ==
          "there is no program 'sh -c done'; write each word as a separate item, as in on_finish: [sh, -c, done]");
    CHECK(problem_of_file("~/none/train.sh") ==
          "there is no file '~/none/train.sh'; no shell reads it, so ~ is not expanded; write "
          "\"${envvar:HOME}/none/train.sh\"");
    CHECK(problem_of_file("$WORK/train.sh").find("$WORK is not expanded; write \"${envvar:WORK}/train.sh\"") !=
          std::string::npos);
    CHECK(problem_of_program("~/none/notify.sh", "on_finish").find("~ is not expanded; write the full path") !=
          std::string::npos);
    CHECK(problem_of_program("${envvar:HOME}/notify.sh", "on_finish") ==
          "there is no program '${envvar:HOME}/notify.sh'; give its path, or the name of a program on PATH");
    CHECK(problem_of_file("none.sh") ==
          "there is no file 'none.sh'; programs run in the folder where crescendo is started; give the path relative "
          "to it");
}

TEST_CASE("the message about a script with options in one text splits it into words, with its interpreter") {
    const TemporaryFolder folder;
    const auto script = (folder / "train.py").string();
    std::ofstream(folder / "train.py") << "pass\n";

    CHECK(problem_of_file(script + " --bs 3", "program") ==
          "there is no file '" + script + " --bs 3'; write each word as a separate item, as in command: [python3, " +
              script + ", --bs, 3, \"${args}\"]");
}

TEST_CASE("the program of a command is checked, also after env, but not if it is known only at runtime") {
    const auto file = parse();
    const auto problems = [&](const std::vector<std::string>& words) {
        Mistakes mistakes;
        check_programs(words, "command", file, mistakes);
        return mistakes.empty() ? "" : error_of([&] { mistakes.throw_if_any(file.source); });
    };

    CHECK(problems({"env", "A=1", "sh", "train.sh"}).empty());
    CHECK(problems({"env", "A=1", "no-such"}).find("command[2]: there is no program 'no-such'") != std::string::npos);
    CHECK(problems({"", "train.sh"}).empty());
}
