#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/files/file_descriptor.hpp"
#include "tests/contains.hpp"
#include "tests/e2e/small_disk.hpp"
#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/sweep_file.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;
using crescendo::FileDescriptor;

namespace {

/// A sweep `s` whose job 17 is over.
void submit_once(const PlayedSlurm& slurm, const fs::path& folder) {
    write_sweep(folder);
    slurm.answer("sbatch", "echo 17");
    slurm.answer("squeue", "true");
    REQUIRE(run_crescendo(folder, {"submit", "sweep.yaml", "--nodes", "3"}).code == 0);
}

}  // namespace

TEST_CASE("a job on one of several clusters is recorded with its cluster, but its log has only its number") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo '17;wice'");
    slurm.answer("squeue", "echo PENDING");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();

    CHECK(contains(result.out, "s/job-17.log"));
    CHECK(status.at("job") == "17;wice");
    CHECK(status.at("hint") == "`squeue --clusters=wice --jobs=17` shows what the job is waiting for");
}

TEST_CASE("submit leaves nothing behind if the job is refused") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo no such partition; exit 1");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK_FALSE(fs::exists(folder / "s"));
}

TEST_CASE("submit of a refused job keeps the user's link to another disk and leaves nothing in its target") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    fs::create_directory(folder / "scratch");
    fs::create_symlink(folder / "scratch", folder / "s");
    slurm.answer("sbatch", "echo no such partition; exit 1");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK(fs::is_symlink(folder / "s"));
    CHECK(fs::is_empty(folder / "scratch"));
}

TEST_CASE("if a job left no trace, status says that its nodes may not see the sweep's folder") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    const auto hint = [&] {
        return run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json().value("hint", "");
    };

    CHECK(contains(hint(), "its nodes do not see " + (folder / "s").string()));
    write_file(folder / "s/job-17.log", "");
    CHECK_FALSE(contains(hint(), "do not see"));
}

TEST_CASE("submit keeps the folder of a job that may be queued, and quotes sbatch's error") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo 'Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(result.code == 1);
    CHECK(contains(result.err, "sbatch did not report whether it queued the job: Batch job submission failed: Socket"));
    CHECK(fs::exists(folder / "s/job.sh"));
    slurm.answer("sbatch", "echo 17");
    CHECK(run_crescendo(folder.path(), {"submit", "s"}).code == 0);
}

TEST_CASE("submit keeps the folder of a queued job that it cannot record, and names the job") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "rm " + (folder / "s/run.json").string() + "; echo 17");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(result.code != 0);
    CHECK_MESSAGE((result.out + result.err).find("job 17 is queued") != std::string::npos, result.err);
    CHECK(fs::exists(folder / "s/job.sh"));
}

TEST_CASE("only its user can read a job script, because it has what a private site profile exports") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_file(folder / "site.yaml", "environment: {KEY: secret}\n");
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo 17");
    slurm.answer("squeue", "true");

    REQUIRE(run_crescendo(folder.path(), {"submit", "sweep.yaml", "--site", "site.yaml"}).code == 0);

    const auto script = folder / "s/job.sh";
    CHECK(contains(content_of(script), "export KEY=secret\n"));
    CHECK(fs::status(script).permissions() == fs::perms{0600});
    REQUIRE(run_crescendo(folder.path(), {"submit", "s", "--nodes", "2"}).code == 0);
    CHECK(fs::status(script).permissions() == fs::perms{0600});
}

TEST_CASE("submit of a sweep that already exists says how to continue it") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo 17");
    REQUIRE(run_crescendo(folder.path(), {"submit", "sweep.yaml"}).code == 0);

    const auto again = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(again.code == 2);
    CHECK_MESSAGE(again.err.find("s: already holds a sweep; `crescendo submit s` continues it") != std::string::npos,
                  again.err);
}

TEST_CASE("submit refuses a job that has no time to train, and names the job's time") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml", "--time", "1m"});

    CHECK(result.code == 2);
    CHECK_MESSAGE(result.err.find("crescendo: the job's time is 00:01:00, of which the last 120 s are reserved") !=
                      std::string::npos,
                  result.err);
}

TEST_CASE("a sweep that was copied or moved continues in its new place, with the options of its script") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    fs::copy(folder / "s", folder / "copy", fs::copy_options::recursive);
    fs::rename(folder / "s", folder / "moved");

    for (const auto* name : {"copy", "moved"}) {
        REQUIRE(run_crescendo(folder.path(), {"submit", name}).code == 0);
        const auto script = content_of(folder / name / "job.sh");
        CHECK(contains(script, "\nsweep=" + (folder / name).string() + "\n"));
        CHECK(contains(script, "#SBATCH --output=" + (folder / name).string() + "/job-%j.log\n"));
        CHECK(contains(script, "#SBATCH --nodes=3\n"));
    }
}

TEST_CASE("a copy of a sweep has no job: resume continues it, and stop does not cancel the original's job") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    fs::copy(folder / "s", folder / "copy", fs::copy_options::recursive);
    slurm.answer("squeue", "echo PENDING");
    const auto state = [&](const char* name) {
        return run_crescendo(folder.path(), {"status", name, "--format", "json"}).json().at("state");
    };

    CHECK(state("copy") == "stopped");
    CHECK(contains(run_crescendo(folder.path(), {"stop", "copy"}).out, "there is nothing to stop"));
    CHECK(run_crescendo(folder.path(), {"resume", "copy", "--until", "1"}).code == 75);
    CHECK(slurm.calls("scancel") == 0);

    CHECK(state("s") == "queued");
    fs::rename(folder / "s", folder / "moved");
    CHECK(state("moved") == "queued");
    CHECK(run_crescendo(folder.path(), {"stop", "moved"}).out == "cancelled job 17, which was queued\n");
    CHECK(slurm.calls("scancel") == 1);
}

TEST_CASE("any error that keeps a job from being queued is a refusal, so that a job script tries again") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    const auto journal = folder / "s/journal.jsonl";
    const auto calls = slurm.calls("sbatch");
    fs::remove(journal);
    fs::create_symlink("/proc/self/mem", journal);  // reading its beginning is an I/O error

    const auto failing = run_crescendo(folder.path(), {"submit", "s"});

    CHECK(failing.code == 2);
    CHECK_MESSAGE(contains(failing.err, "Input/output error"), failing.err);
    CHECK(slurm.calls("sbatch") == calls);
}

TEST_CASE("submit refuses a copy with an edited script and says what to do, but accepts a link to the sweep") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    const auto edited = content_of(folder / "s/job.sh") + "# mine\n";
    write_file(folder / "s/job.sh", edited);
    fs::copy(folder / "s", folder / "copy", fs::copy_options::recursive);
    fs::create_directory_symlink("s", folder / "link");

    const auto refused = run_crescendo(folder.path(), {"submit", "copy"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "give an option, such as --nodes 3, to have it rewritten"));
    CHECK(content_of(folder / "copy/job.sh") == edited);
    CHECK(run_crescendo(folder.path(), {"submit", "copy", "--nodes", "3"}).code == 0);

    CHECK(run_crescendo(folder.path(), {"submit", "link"}).code == 0);
    CHECK(content_of(folder / "s/job.sh") == edited);
}

TEST_CASE("a script is rewritten if its program or its project has moved; if it was edited, a note says so") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    const auto project = folder / "project";
    fs::create_directory(project);
    submit_once(slurm, project);
    const auto script = [&] { return content_of(project / "s/job.sh"); };
    const auto written = script();
    auto launches_other = written;
    const auto begin = written.find("\ncrescendo=");
    launches_other.replace(begin, written.find('\n', begin + 1) - begin, "\ncrescendo=/old/crescendo");

    write_file(project / "s/job.sh", launches_other);
    CHECK(run_crescendo(project, {"submit", "s"}).code == 0);
    CHECK(script() == written);

    write_file(project / "s/job.sh", launches_other + "# mine\n");
    const auto edited = run_crescendo(project, {"submit", "s"});
    CHECK(edited.code == 0);
    CHECK_MESSAGE(contains(edited.err,
                           "note: s/job.sh: launches /old/crescendo, which does not exist, and the script was edited"),
                  edited.err);
    CHECK(script() == launches_other + "# mine\n");

    write_file(project / "s/job.sh", written);
    fs::rename(project, folder / "moved");
    const auto lost = run_crescendo(folder / "moved", {"submit", "s"});
    CHECK(lost.code == 2);
    CHECK_MESSAGE(contains(lost.err, "if it was moved, write its new path as \"working_directory\" into s/run.json"),
                  lost.err);
    auto run = Json::parse(content_of(folder / "moved/s/run.json"));
    run["working_directory"] = (folder / "moved").string();
    write_file(folder / "moved/s/run.json", run.dump());
    CHECK(run_crescendo(folder / "moved", {"submit", "s"}).code == 0);
    CHECK(contains(content_of(folder / "moved/s/job.sh"), "\ncd " + (folder / "moved").string() + " || exit 2\n"));
}

TEST_CASE("if two commands submit a sweep at the same time, only one queues a job") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    const auto once = "[ -e " + (folder / "code").string() + " ]";
    slurm.answer("sbatch", once + " || { echo none >" + (folder / "code").string() + "; " CRESCENDO_BINARY " submit " +
                               (folder / "s").string() + " 2>" + (folder / "second").string() + "; echo $? >" +
                               (folder / "code").string() + "; }; echo 18");

    CHECK(run_crescendo(folder.path(), {"submit", "s"}).code == 0);

    CHECK(content_of(folder / "code") == "2\n");
    CHECK(contains(content_of(folder / "second"), "another `crescendo submit` is queueing a job of this sweep"));
}

TEST_CASE("no job is queued if its number could not be recorded") {
    const PlayedSlurm slurm;
    const SmallDisk disk("size=256k");
    if (!disk) {
        return;
    }
    submit_once(slurm, disk.path());
    disk.fill();

    CHECK(run_crescendo(disk.folder(), {"submit", "disk/s"}).code == 2);

    CHECK(slurm.calls("sbatch") == 1);
}

TEST_CASE("sbatch does not see variables that would change what the script asks for") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "env >" + (folder / "environment").string() + "; echo 17");
    const Variable limit("SBATCH_TIMELIMIT", "5");
    const Variable account("SBATCH_ACCOUNT", "mine");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml", "--time", "2h"});

    REQUIRE(result.code == 0);
    CHECK_FALSE(contains(content_of(folder / "environment"), "SBATCH_TIMELIMIT"));
    CHECK(contains(content_of(folder / "environment"), "SBATCH_ACCOUNT=mine\n"));
}

TEST_CASE("submit of a sweep that is over names the limit that ended it and the command that raises it") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    write_file(folder / "sweep.yaml", content_of(folder / "sweep.yaml") + "budget: {target: 0.9}\n");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    slurm.answer("sbatch", "echo 17");

    const auto over = run_crescendo(folder.path(), {"submit", "s"});
    CHECK(over.code == 2);
    CHECK(contains(over.err, "this sweep is over (the target is reached), so there is nothing to continue"));
    CHECK(contains(over.err, "`crescendo set s budget.target=...` extends it"));

    REQUIRE(run_crescendo(folder.path(), {"set", "s", "budget.target=0.1"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"submit", "s"}).code == 0);
}

TEST_CASE("submit in an interactive job names the process that runs the sweep and queues no job that would fail") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    const auto calls = slurm.calls("sbatch");
    const FileDescriptor lock(::open((folder / "s/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::flock(lock.get(), LOCK_EX) == 0);
    write_file(folder / "s/lock", "process 7 on n1\n");
    const Variable job("SLURM_JOB_ID", "18");

    const auto beside = run_crescendo(folder.path(), {"submit", "s"});
    const Variable exit_status("CRESCENDO_EXIT_STATUS", folder / "s/exit");
    const auto in_script = run_crescendo(folder.path(), {"submit", "s"});

    CHECK(beside.code == 2);
    CHECK_MESSAGE(contains(beside.err, "process 7 on n1 is using this directory"), beside.err);
    CHECK(in_script.code == 0);  // its rank 0 hangs after it has written its exit status
    CHECK(slurm.calls("sbatch") == calls + 1);
}

TEST_CASE("submit refuses a colleague's unreadable job.sh and says how to have it rewritten") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    submit_once(slurm, folder.path());
    fs::remove(folder / "s/job.sh");
    REQUIRE(::mkfifo((folder / "s/job.sh").c_str(), 0600) == 0);  // even root cannot read it

    const auto refused = run_crescendo(folder.path(), {"submit", "s"});
    const auto anew = run_crescendo(folder.path(), {"submit", "s", "--nodes", "3"});

    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "give an option, such as --nodes 3, to have it rewritten"));
    CHECK_MESSAGE(anew.code == 0, anew.err);
    CHECK(contains(content_of(folder / "s/job.sh"), "--nodes=3"));
}
