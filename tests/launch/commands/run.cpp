#include "launch/process/shell.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("run makes a directory with the sweep's name or with the name in --dir") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    CHECK(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "there"}).code == 0);

    CHECK(fs::exists(folder / "s/journal.jsonl"));
    CHECK(fs::exists(folder / "there/journal.jsonl"));
}

TEST_CASE("the commands that a sweep prints at its end work for a folder that begins with a hyphen") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "-x"});

    CHECK(result.code == 0);
    CHECK(result.out.find("crescendo trials ./-x ") != std::string::npos);
    CHECK(fs::exists(folder / "-x/journal.jsonl"));
}

TEST_CASE("run begins no second sweep in a directory and says how to continue the first") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    run_crescendo(folder.path(), {"run", "sweep.yaml"});

    const auto again = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(again.code == 2);
    CHECK(again.err.find("`crescendo resume s` continues it; --dir") != std::string::npos);

    write_file(folder / "other.yaml", content_of(folder / "sweep.yaml") + "description: another one\n");
    const auto other = run_crescendo(folder.path(), {"run", "other.yaml", "--dir", "s"});
    CHECK(other.err.find("continues it with its own sweep file, which differs from this one; "
                         "--dir") != std::string::npos);

    const auto directory = run_crescendo(folder.path(), {"run", "s"});
    CHECK(directory.code == 2);
    CHECK(directory.err.find("s: is the directory of a sweep, but `run` takes a sweep file; `crescendo resume s`") !=
          std::string::npos);
}

TEST_CASE("the commands that crescendo prints can be copied, whatever the directory's name") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "two words"});

    CHECK_MESSAGE(run.out.find("crescendo trials 'two words'") != std::string::npos, run.out);
    for (const auto& [command, advice] : {
             std::pair{std::vector<std::string>{"run", "sweep.yaml", "--dir", "two words"}, "resume 'two words'` cont"},
             {{"retry", "two words"}, "`crescendo retry 'two words' 17`"},
             {{"tag", "two words"}, "`crescendo tag 'two words' 17 baseline`"},
             {{"note", "two words", "1", "2", "3"}, "crescendo note 'two words' 1"},
             {{"retrain", "two words", "--trial", "9"}, "`crescendo trials 'two words'`"},
         }) {
        const auto refused = run_crescendo(folder.path(), command);
        CHECK(refused.code == 2);
        CHECK_MESSAGE(refused.err.find(advice) != std::string::npos, refused.err);
    }
}

TEST_CASE("run ends even if its parent process ignores SIGCHLD") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    const std::string ignores =
        "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
        "os.chdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])";

    const auto ran =
        launch::run_tool({"python3", "-c", ignores, folder.path().string(), CRESCENDO_BINARY, "run", "sweep.yaml"});

    CHECK_MESSAGE(ran.code == 0, ran.words());
}

TEST_CASE("run refuses a file in place of a sweep's folder") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "train.sh"});

    CHECK(run.code == 2);
    CHECK_MESSAGE(run.err.find("train.sh: is a file, but a sweep needs its own folder") != std::string::npos, run.err);
}

TEST_CASE("run refuses a working folder whose name is not UTF-8, and leaves nothing there") {
    const TemporaryFolder folder;
    const auto latin = folder / "caf\xE9";
    fs::create_directory(latin);
    write_sweep(latin);

    const auto run = run_crescendo(latin, {"run", "sweep.yaml"});

    CHECK(run.code == 2);
    CHECK_MESSAGE(run.err.find("the name of the working folder is not UTF-8") != std::string::npos, run.err);
    CHECK_FALSE(fs::exists(latin / "s"));
}

TEST_CASE("a sweep of programs runs in a folder whose name is not UTF-8") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    CHECK(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "caf\xE9"}).code == 0);

    CHECK(fs::exists(folder / "caf\xE9/results.csv"));
}
