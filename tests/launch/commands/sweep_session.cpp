#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a session that ends well prints the best trial and leaves a table of all") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK(contains(run.out, "finished: "));
    CHECK(contains(run.out, "2 trials in "));
    CHECK(content_of(folder / "s/results.csv").starts_with("trial,status,resource"));
}

TEST_CASE("a session whose time is up before it begins stops, and says how to go on") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--until", "1"});

    CHECK(run.code == 75);
    CHECK(contains(run.out, "crescendo resume s     continues it"));
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
}

TEST_CASE("a session stops two minutes before the end of the batch job that it is in") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    ::setenv("SLURM_JOB_ID", "17", 1);
    ::setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 100).c_str(), 1);

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    ::unsetenv("SLURM_JOB_ID");
    ::unsetenv("SLURM_JOB_END_TIME");
    CHECK(run.code == 75);
}

TEST_CASE("a session of programs that end without a report explains what a report is") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "A program reports by a line of JSON"));
    CHECK(contains(run.out, "report: {pattern: 'epoch (?P<resource>\\d+).*loss=(?P<loss>[\\d.]+)'}"));
    CHECK(contains(run.out, "crescendo resume s --retry-failed"));
}
