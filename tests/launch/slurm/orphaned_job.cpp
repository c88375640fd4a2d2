#include "launch/slurm/orphaned_job.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// Slurm's tools in front of the others: scripts of the test's own, and an account of the calls.
class PlayedSlurm {
  public:
    PlayedSlurm() : path_(std::getenv("PATH")) {
        ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
        answer("squeue", "echo 'n[1-3] n1'");
        answer("scontrol", R"(case $1 in show) printf 'n1\nn2\nn3\n' ;; esac)");
        answer("sinfo", "echo alloc*");
        answer("srun", "exit 1");
        answer("scancel", "true");
    }
    ~PlayedSlurm() { ::setenv("PATH", path_.c_str(), 1); }
    PlayedSlurm(PlayedSlurm&&) = delete;
    PlayedSlurm& operator=(PlayedSlurm&&) = delete;

    void answer(const std::string& tool, const std::string& script) const {
        const auto file = folder_ / tool;
        std::ofstream(file) << "#!/bin/sh\ncd " << folder_.path().string() << "\necho " << tool << " \"$@\" >>calls\n"
                            << script << "\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }

    void rescue() const { rescue_if_orphaned("17", folder_ / "log", std::chrono::milliseconds(1)); }

    int calls(const std::string& what) const {
        std::ifstream file(folder_ / "calls");
        int count = 0;
        for (std::string line; std::getline(file, line);) {
            count += line.starts_with(what) ? 1 : 0;
        }
        return count;
    }

    std::string log() const {
        std::ostringstream text;
        text << std::ifstream(folder_ / "log").rdbuf();
        return text.str();
    }

  private:
    TemporaryFolder folder_;
    std::string path_;
};

/// At its third call and from then on `later`, before that `first`.
std::string third_time(const std::string& tool, const std::string& first, const std::string& later) {
    return "if [ $(grep -c ^" + tool + " calls) -lt 3 ]; then " + first + "; else " + later + "; fi";
}

}  // namespace

TEST_CASE("a script whose node answers is left alone") {
    const PlayedSlurm slurm;
    slurm.answer("srun", "exit 0");

    slurm.rescue();

    CHECK(slurm.calls("srun --jobid=17 --mpi=none --overlap --nodes=1 --ntasks=1 --nodelist=n1 true") == 1);
    CHECK(slurm.calls("scontrol requeue") == 0);
    CHECK(slurm.log().empty());
}

TEST_CASE("a job whose script's node is dead is queued again as soon as Slurm has noticed, and not before") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", third_time("squeue", "echo 'n[1-3] n1'", "echo 'n[2-3] n1'"));
    slurm.answer("scontrol",
                 R"(case "$*" in *'n[1-3]') printf 'n1\nn2\nn3\n' ;; *'n[2-3]') printf 'n2\nn3\n' ;; esac)");

    slurm.rescue();

    CHECK(slurm.calls("srun") == 2);
    CHECK(slurm.calls("scontrol requeue 17") == 1);
    CHECK(slurm.calls("scancel") == 0);
    CHECK(slurm.log() == "node n1 died with the script of job 17, which is queued again\n");
}

TEST_CASE("a Slurm that cannot be asked says nothing about the script") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", third_time("squeue", "echo busy; exit 1", "echo 'n[1-3] n1'"));
    slurm.answer("scontrol", "exit 1");
    slurm.answer("srun", third_time("srun", "exit 1", "exit 0"));

    slurm.rescue();

    CHECK(slurm.calls("squeue") == 5);
    CHECK(slurm.calls("scontrol requeue") == 0);
}

TEST_CASE("nothing is done for a job that does not run any more") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "true");
    slurm.rescue();
    slurm.answer("squeue", "echo 'slurm_load_jobs error: Invalid job id specified'; exit 1");
    slurm.rescue();

    CHECK(slurm.calls("squeue") == 2);
    CHECK(slurm.calls("s") == 2);
}

TEST_CASE("a job that another rank has queued again is left alone") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "if [ $(grep -c ^squeue calls) = 1 ]; then echo 'n[2-3] n1'; fi");
    slurm.answer("scontrol", R"(case $1 in show) printf 'n2\nn3\n' ;; *) echo 'Job is pending'; exit 1 ;; esac)");

    slurm.rescue();

    CHECK(slurm.calls("scontrol requeue 17") == 1);
    CHECK(slurm.calls("scancel") == 0);
    CHECK(slurm.log().empty());
}

TEST_CASE("a job that may not be queued again is cancelled, and what goes on is said") {
    const PlayedSlurm slurm;
    slurm.answer("scontrol",
                 R"(case $1 in show) printf 'n2\nn3\n' ;; *) echo 'Job is not requeueable'; exit 1 ;; esac)");

    slurm.rescue();

    CHECK(slurm.calls("scancel 17") == 1);
    CHECK(slurm.log().find("(Job is not requeueable): it is cancelled, `crescendo submit ") != std::string::npos);
}
