#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("report writes one page into the sweep's directory, and says where") {
    const OldSweep sweep;

    const auto result = sweep.run({"report", "s"});

    CHECK(result.code == 0);
    CHECK(result.out == "s/report.html\n");
    const auto page = content_of(sweep.folder / "s" / "report.html");
    CHECK(contains(page, "crescendo resume s"));  // it was stopped
    CHECK(contains(page, "data-chart='gantt'"));
}

TEST_CASE("report writes a page without a best trial for a real sweep whose trials all failed") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo '<b>no such file</b>' >&2; exit 3");
    run_crescendo(folder.path(), {"run", "sweep.yaml"});

    const auto result = run_crescendo(folder.path(), {"report", "s", "--out", "page.html"});

    CHECK(result.code == 0);
    const auto page = content_of(folder / "page.html");
    CHECK(contains(page, "there is no best one"));
    CHECK(contains(page, "&lt;b&gt;no such file"));
    CHECK(!contains(page, "<b>no such file"));
}

TEST_CASE("report of a damaged journal shows what comes before the damage, and exits with 2") {
    const OldSweep sweep;
    auto journal = content_of(sweep.folder / "s" / "journal.jsonl");
    journal[journal.find("0.7")] = '9';
    write_file(sweep.folder / "s" / "journal.jsonl", journal);

    const auto result = sweep.run({"report", "s"});

    CHECK(result.code == 2);
    CHECK(contains(result.err, "journal.jsonl:5"));
    CHECK(contains(content_of(sweep.folder / "s" / "report.html"), "journal.jsonl:5"));
}

TEST_CASE("report of several sweeps puts them side by side in this folder") {
    const OldSweep sweep;
    fs::copy(sweep.folder / "s", sweep.folder / "t", fs::copy_options::recursive);

    const auto result = sweep.run({"report", "s", "t"});

    CHECK(result.code == 0);
    CHECK(result.out == "report.html\n");
    CHECK(contains(content_of(sweep.folder / "report.html"), "Side by side"));
}

TEST_CASE("report of a folder without a sweep is bad input") {
    const TemporaryFolder folder;

    CHECK(run_crescendo(folder.path(), {"report", "."}).code == 2);
}

TEST_CASE("report replaces a link in place of its page, but writes no page into another user's folder") {
    const OldSweep sweep;
    write_file(sweep.folder / "mine", "mine");
    fs::create_symlink(sweep.folder / "mine", sweep.folder / "s/report.html");

    CHECK(sweep.run({"report", "s"}).code == 0);

    CHECK(content_of(sweep.folder / "mine") == "mine");
    CHECK(contains(content_of(sweep.folder / "s/report.html"), "<html"));
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root makes folders of other users");
        return;
    }
    fs::remove(sweep.folder / "s/report.html");
    REQUIRE(::chown((sweep.folder / "s").c_str(), 12345, 12345) == 0);
    const auto refused = sweep.run({"report", "s"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "s: is another user's folder"));
    CHECK(contains(refused.err, "name the file with --out"));
    CHECK_FALSE(fs::exists(sweep.folder / "s/report.html"));
    CHECK(sweep.run({"report", "s", "--out", "page.html"}).code == 0);
}
