#include "launch/batch/job_script.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/check.hpp"
#include "launch/batch/slurm_tools.hpp"
#include "launch/files/read_file.hpp"
#include "tests/contains.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;
using crescendo::tests::TemporaryFolder;

namespace {

JobRequest script_request() {
    JobRequest request;
    request.name = "s";
    request.directory = "/sweeps/s";
    request.log = "/sweeps/s/job-%j.log";
    request.working_directory = "/work";
    request.crescendo = "/bin/crescendo";
    request.site.launcher = "srun --mpi=pmix";
    return request;
}

/// A real run of a job script, in which one script plays `crescendo`, and others play Slurm's tools.
struct Rehearsal {
    explicit Rehearsal(const std::string& crescendo) {
        install("srun", "exec crescendo");
        install("crescendo", "cd " + folder.path().string() + "; echo run >> runs; " + crescendo);
        install("squeue", "case $* in *%e*) echo 2100-01-01T00:00:00 ;; *%T*) echo RUNNING ;; *) echo n1 ;; esac");
        install("scontrol", "case $* in *hostnames*) echo n1 ;; requeue*) echo requeued >> " +
                                (folder / "requeues").string() + " ;; esac");
        install("sleep", "exec /bin/sleep 0.02");
    }
    void install(const std::string& name, const std::string& script) const {
        std::ofstream(folder / name) << "#!/bin/bash\n" << script << "\n";
        std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    }
    ToolResult run() const {
        auto job = script_request();
        job.directory = sweep;
        job.working_directory = folder.path();
        job.crescendo = folder / "crescendo";
        job.site.setup = {"echo $$ > job", setup};
        std::ofstream(folder / "job.sh") << job_script(job, *batch_system());
        return run_slurm_tool({"env", "PATH=" + folder.path().string() + ":" + std::getenv("PATH"), "SLURM_JOB_ID=1",
                               "bash", (folder / "job.sh").string()});
    }
    long count(const std::string& name) const {
        std::ifstream file(folder / name);
        return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    }
    TemporaryFolder folder;
    void forbid_requeueing() const {
        install("scontrol",
                "case $* in *hostnames*) echo n1 ;; requeue*) echo 'Requested operation is presently disabled for job "
                "1' >&2; exit 1 ;; esac");
    }
    /// Slurm's daemon does not answer the first `number` times that squeue asks for this format.
    void be_away(const std::string& format, int number) const {
        const auto asked = (folder / "asked").string();
        install("squeue", "case $* in *" + format + "*) echo >> " + asked + "; [ $(wc -l < " + asked + ") -gt " +
                              std::to_string(number) +
                              " ] || exit 1 ;; esac\n"
                              "case $* in *%e*) echo 2100-01-01T00:00:00 ;; *%T*) echo RUNNING ;; *) echo n1 ;; esac");
    }
    std::string setup = "true";  ///< a line of setup before the script's own lines
    std::filesystem::path sweep = folder.path();
};

}  // namespace

TEST_CASE("a job script sets up the site's environment and launches with the given options") {
    auto job = script_request();
    job.options.gpus_per_node = 2;
    job.options.slots_per_gpu = 4;
    job.site.modules = {"openmpi/4.1"};
    job.site.environment = {{"A", "it's"}};
    job.site.interface = "ib0";

    const auto script = job_script(job, *batch_system());

    CHECK(contains(script, "#!/bin/bash -l\n"));
    CHECK(contains(script, "#SBATCH --gpus-per-node=2\n"));
    CHECK(contains(script, "module load openmpi/4.1\n"));
    CHECK(contains(script, "export A='it'\\''s'\n"));
    CHECK(contains(
        script, "--gpus-per-node=2 \\\n        \"$crescendo\" resume \"$sweep\" --interface ib0 --slots-per-gpu 4 "));
}

TEST_CASE("a job with hardly more time than it needs to save is refused") {
    auto job = script_request();
    job.options.time = std::chrono::minutes(3);

    CHECK_THROWS_WITH_AS(job_script(job, *batch_system()), doctest::Contains("the last 120 s are reserved"),
                         InvalidInput);
}

TEST_CASE("mpirun gets the options that start one process on each node") {
    auto job = script_request();
    job.site.launcher = "/opt/bin/mpirun --enable-recovery";

    CHECK(contains(job_script(job, *batch_system()),
                   "/opt/bin/mpirun --enable-recovery --host \"$nodes\" -np \"$count\" "));
}

TEST_CASE("a job ends with the exit status of its sweep") {
    const Rehearsal finished("echo 0 > $CRESCENDO_EXIT_STATUS; exit 137");  // another rank was killed
    CHECK(finished.run().code == 0);

    const Rehearsal failed("echo 1 > $CRESCENDO_EXIT_STATUS");
    CHECK(failed.run().code == 1);
    CHECK(failed.count("runs") == 1);
}

TEST_CASE("a coordinator that could not write its exit status on a full disk is not launched again") {
    const Rehearsal full(": > $CRESCENDO_EXIT_STATUS");

    CHECK(full.run().code == 75);
    CHECK(full.count("runs") == 1);
}

TEST_CASE("a coordinator that ends without an exit status is launched again, up to three times in all") {
    const Rehearsal once("[ $(wc -l < runs) = 2 ] || exit 137; echo 0 > $CRESCENDO_EXIT_STATUS");
    CHECK(once.run().code == 0);
    CHECK(once.count("runs") == 2);

    const Rehearsal always("exit 137");
    const auto end = always.run();
    CHECK(end.code == 1);
    CHECK(contains(end.output, "giving up"));
    CHECK(always.count("runs") == 3);
}

TEST_CASE("the script names the launcher if MPI never started, and otherwise the trainers' log") {
    const auto end_of = [](const std::string& crescendo) { return Rehearsal(crescendo).run().output; };

    const auto never = end_of("exit 1");
    CHECK(contains(never, "the launcher may not suit its MPI"));
    CHECK_FALSE(contains(never, "trainers.log"));
    const auto later = end_of("echo '{\"n\":1,\"note\":\"session\"}' >> journal.jsonl; exit 1");
    CHECK_FALSE(contains(later, "launcher"));
    CHECK(contains(later, "/trainers.log"));
}

TEST_CASE("a job script's advice can be copied even if the folder's name has a space") {
    Rehearsal job("exit 1");
    job.sweep = job.folder / "a b";
    std::filesystem::create_directory(job.sweep);

    CHECK(contains(job.run().output, "crescendo submit " + job.folder.path().string() + "/a\\ b --site PROFILE"));
}

TEST_CASE("ranks of a job outlast a file system that hangs for a minute, but give up in the end") {
    Rehearsal job(
        "echo $CRESCENDO_HEARTBEAT_TIMEOUT > timeout; [ $(wc -l < runs) -lt 6 ] || "
        "echo 0 > $CRESCENDO_EXIT_STATUS; exit 137");
    // At the end of each launch: a rank in MPI_Init hangs for that long.
    job.setup = R"(trap '[[ $BASH_COMMAND != status=* ]] || SECONDS=$((SECONDS + 4 * 70))' DEBUG)";
    CHECK(job.run().code == 1);
    CHECK(job.count("runs") == 3);
    int timeout = 0;
    std::ifstream(job.folder / "timeout") >> timeout;
    CHECK(timeout > 60);  // SweepLock's patience with a holder
}

TEST_CASE("the warning before the end of a job stops the sweep, and another job follows") {
    const Rehearsal job("kill -USR2 $(cat job); until [ -e stop ]; do :; done; echo 75 > $CRESCENDO_EXIT_STATUS");

    CHECK(job.run().code == 75);
    CHECK(job.count("requeues") == 1);
}

TEST_CASE("a rank that hangs after rank 0 has saved everything does not keep the job from being requeued") {
    Rehearsal job(
        "kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS\n"
        "for _ in {1..250}; do [ ! -e requeues ] || exit; /bin/sleep 0.1; done; echo > waited_for");
    job.setup = "trap 'SECONDS=$((SECONDS + 1))' DEBUG";  // each look at the ranks takes some seconds

    CHECK(job.run().code == 75);
    CHECK(job.count("requeues") == 1);
    CHECK(job.count("waited_for") == 0);
}

TEST_CASE("a rank that hangs does not keep a job waiting if rank 0 died without an exit status") {
    constexpr auto* wait = "for _ in {1..200}; do [ $(wc -l < runs) = 1 ] || exit; /bin/sleep 0.1; done; echo > waited";
    const std::string second_run = "[ $(wc -l < runs) = 1 ] || { echo 0 > $CRESCENDO_EXIT_STATUS; exit; }; ";
    const std::string name_holder = "echo \"process $$ on $(uname -n) since now\" > lock; ";
    const auto rehearsed = [](const std::string& crescendo) {
        Rehearsal job(crescendo);
        job.install("sleep", "echo >> " + (job.folder / "looks").string());
        job.setup = "trap 'SECONDS=$((SECONDS + 1))' DEBUG";  // each look at the ranks takes some seconds
        CHECK(job.run().code == 0);
        return std::pair(job.count("runs"), job.count("waited"));
    };

    CHECK(rehearsed(second_run + name_holder + wait) == std::pair(2L, 0L));

    // A rank 0 that is alive holds the lock, and one that has not begun yet has not written its name there.
    const std::string last_word =
        "until [ $(wc -l < looks) -ge 150 ]; do /bin/sleep 0.02; done 2> wc; echo 0 > $CRESCENDO_EXIT_STATUS";
    CHECK(rehearsed(name_holder + "exec 9< lock; flock 9; " + last_word).first == 1);
    CHECK(rehearsed(last_word).first == 1);
}

TEST_CASE("a sweep that the user stopped or cancelled gets no further job") {
    const Rehearsal stopped("echo stop > stop; echo 75 > $CRESCENDO_EXIT_STATUS");
    CHECK(stopped.run().code == 75);
    CHECK(stopped.count("requeues") == 0);

    const Rehearsal cancelled("echo 75 > $CRESCENDO_EXIT_STATUS");
    CHECK(cancelled.run().code == 75);
    CHECK(cancelled.count("requeues") == 0);

    const Rehearsal warned_and_cancelled("kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");
    warned_and_cancelled.install("squeue", "case $* in *%e*) ;; *%T*) echo COMPLETING ;; *) echo n1 ;; esac");
    CHECK(warned_and_cancelled.run().code == 75);
    CHECK(warned_and_cancelled.count("requeues") == 0);

    const Rehearsal lost_and_stopped("echo stop > stop; exit 137");
    CHECK(lost_and_stopped.run().code == 75);
    CHECK(lost_and_stopped.count("runs") == 1);
}

TEST_CASE("a job that is too short for any report is repeated only twice") {
    const Rehearsal job(
        "echo '{\"note\":\"session\"}' >> journal.jsonl; kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");
    CHECK(job.run().code == 75);
    CHECK(job.run().code == 75);

    CHECK(job.run().code == 1);
    CHECK(job.count("requeues") == 2);
}

TEST_CASE("launching a lost coordinator again does not make one job count as three") {
    const Rehearsal job(
        "echo '{\"host\":\"h\",\"note\":\"session\",\"slots\":2,\"time\":1.0}' >> journal.jsonl; "
        "[ $(wc -l < runs) -ge 3 ] || exit 137; kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");

    CHECK(job.run().code == 75);
    CHECK(job.count("runs") == 3);
    CHECK(job.run().code == 75);
    CHECK(job.run().code == 1);  // the third job
}

TEST_CASE("a report in any session restarts the count of jobs without a report") {
    const Rehearsal job(
        "[ $(wc -l < runs) != 3 ] || echo '{\"event\":\"trial_reported\"}' >> journal.jsonl; "
        "kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");

    for (int i = 0; i < 5; ++i) {
        CHECK(job.run().code == 75);
    }
    CHECK(job.run().code == 1);  // the third job after the one with the report
}

TEST_CASE("notes and tags written between jobs do not count as jobs without a report") {
    const Rehearsal job(
        "echo '{\"host\":\"h\",\"note\":\"session\",\"slots\":2,\"time\":1.0}' >> journal.jsonl; "
        "kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");
    for (int i = 0; i < 3; ++i) {
        std::ofstream(job.folder / "journal.jsonl", std::ios::app)
            << R"({"host":"h","note":"session","slots":0,"time":1.0})" << '\n';
    }

    CHECK(job.run().code == 75);
    CHECK(job.run().code == 75);
    CHECK(job.run().code == 1);
}

TEST_CASE("if all programs give way before the job's time is up, another job follows at once") {
    const Rehearsal job("echo '{\"event\":\"deadline_near\"}' >> journal.jsonl; echo 75 > $CRESCENDO_EXIT_STATUS");

    CHECK(job.run().code == 75);
    CHECK(job.count("requeues") == 1);
}

TEST_CASE("the text of notes and tags does not count as the words that a job script looks for") {
    const Rehearsal job("exit 137");
    std::ofstream(job.folder / "journal.jsonl")
        << R"({"event":"annotated","tag":"session","text":"deadline_near"})" << '\n';

    CHECK(job.run().code == 1);
    CHECK(job.count("requeues") == 0);
}

TEST_CASE("a batch system that does not answer is asked again at the beginning, after a loss and at the end") {
    const Rehearsal begins("echo 0 > $CRESCENDO_EXIT_STATUS");
    begins.install("srun", "echo $* > " + (begins.folder / "launched").string() + "; exec crescendo");
    begins.be_away("%e", 2);
    CHECK(begins.run().code == 0);
    CHECK(contains(read_file(begins.folder / "launched"), "--until 41024"));  // 2100

    const Rehearsal looks_for_nodes("echo 0 > $CRESCENDO_EXIT_STATUS");
    looks_for_nodes.be_away("%N", 2);
    CHECK(looks_for_nodes.run().code == 0);
    CHECK(looks_for_nodes.count("asked") == 3);

    const Rehearsal loses("[ $(wc -l < runs) = 2 ] || exit 137; echo 0 > $CRESCENDO_EXIT_STATUS");
    loses.be_away("%T", 2);
    CHECK(loses.run().code == 0);
    CHECK(loses.count("runs") == 2);

    const Rehearsal ends("kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");
    ends.be_away("%T", 2);
    const auto end = ends.run();
    CHECK(end.code == 75);
    CHECK(ends.count("requeues") == 1);
    CHECK(contains(end.errors, "the batch system does not answer, or refuses; trying again until "));
}

TEST_CASE("a coordinator is launched again in the extra time that its job got while it ran") {
    const Rehearsal job("[ $(wc -l < runs) = 2 ] || exit 137; echo 0 > $CRESCENDO_EXIT_STATUS");
    const auto launched = (job.folder / "launched").string();
    job.install("srun", "echo \"$CRESCENDO_LEAD: $*\" >> " + launched + "; exec crescendo");
    job.install("squeue", "[ -e " + launched +
                              " ] && year=2100 || year=2000\n"
                              "case $* in *%e*) echo $year-01-01T00:00:00 ;; *%T*) echo RUNNING ;; *) echo n1 ;; esac");

    CHECK(job.run().code == 0);
    const auto launches = read_file(launched);
    CHECK(launches.starts_with("120: "));
    CHECK(contains(launches, "--until 946684680\n"));   // two minutes before 2000, in UTC
    CHECK(contains(launches, "--until 4102444680\n"));  // before 2100
    CHECK(job.count("requeues") == 0);
}

TEST_CASE("a job that cannot be queued at once is queued later") {
    const Rehearsal job(
        "[ \"$1\" = submit ] && { echo >> tries; [ $(wc -l < tries) = 3 ] || exit 2; exit; }; "
        "kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");
    job.forbid_requeueing();

    CHECK(job.run().code == 75);
    CHECK(job.count("tries") == 3);
}

TEST_CASE("a job that sbatch may have queued is not queued a second time") {
    const Rehearsal job(
        "[ \"$1\" = submit ] && { echo >> tries; exit 1; }; kill -USR2 $(cat job); "
        "echo 75 > $CRESCENDO_EXIT_STATUS");
    job.forbid_requeueing();

    CHECK(job.run().code == 75);
    CHECK(job.count("tries") == 1);
}

TEST_CASE("if Slurm does not answer a requeue, the job is requeued later, not submitted") {
    const Rehearsal job(
        "[ \"$1\" = submit ] && echo >> submitted; kill -USR2 $(cat job); echo 75 > $CRESCENDO_EXIT_STATUS");
    const auto tries = (job.folder / "tries").string();
    job.install("scontrol", "case $* in *hostnames*) echo n1 ;; requeue*) echo >> " + tries + "; [ $(wc -l < " + tries +
                                ") = 2 ] || { echo 'slurm_requeue error: Socket timed out' >&2; exit 1; } ;; esac");

    CHECK(job.run().code == 75);
    CHECK(job.count("tries") == 2);
    CHECK(job.count("submitted") == 0);
}

TEST_CASE("processes that srun starts get the script's environment, even if sbatch got less of the user's") {
    CHECK(contains(job_script(script_request(), *batch_system()), "\nexport SLURM_EXPORT_ENV=ALL\n"));
}

TEST_CASE("a user's filters for squeue do not hide the job from its script") {
    Rehearsal job("echo 0 > $CRESCENDO_EXIT_STATUS");
    job.install("squeue",
                "[ -z \"$SQUEUE_STATES$SQUEUE_PARTITION\" ] && [ \"$SLURM_TIME_FORMAT\" = standard ] || exit 1\n"
                "case $* in *%e*) echo 2100-01-01T00:00:00 ;; *%T*) echo RUNNING ;; *) echo n1 ;; esac");
    job.setup = "export SQUEUE_STATES=PENDING SQUEUE_PARTITION=gpu SLURM_TIME_FORMAT=relative; lead=0";

    CHECK(job.run().code == 0);
}

TEST_CASE("srun is not asked for all the GPUs that the job began with") {
    Rehearsal job("echo \"gpus: $SLURM_GPUS\" > gpus; echo 0 > $CRESCENDO_EXIT_STATUS");
    job.setup = "export SLURM_GPUS=8";  // as sbatch --gpus=8 does

    CHECK(job.run().code == 0);
    std::string line;
    std::getline(std::ifstream(job.folder / "gpus"), line);
    CHECK(line == "gpus: ");
}

TEST_CASE("a script shows which sweep it continues, unless that line was edited") {
    auto job = script_request();
    for (const auto* path : {"/sweeps/s", "/it's $x"}) {
        job.directory = path;
        CHECK(places_in(job_script(job, *batch_system())).directory == path);
    }
    CHECK_FALSE(places_in("#!/bin/bash\nsweep=\"$HOME/s\"\n").directory);
    CHECK_FALSE(places_in("#!/bin/bash\n").directory);
    const auto places = places_in(job_script(job, *batch_system()));
    CHECK(places.crescendo == "/bin/crescendo");
    CHECK(places.working_directory == "/work");
}

TEST_CASE("if requeueing is not allowed, the sweep submits itself") {
    const Rehearsal job("[ \"$1\" = submit ] && { echo x > submitted; exit; }; echo 75 > $CRESCENDO_EXIT_STATUS");
    job.install("squeue", "case $* in *%e*) echo 2000-01-01T00:00:00 ;; *%T*) echo RUNNING ;; *) echo n1 ;; esac");
    job.forbid_requeueing();

    CHECK(job.run().code == 75);
    CHECK(job.count("submitted") == 1);
}
