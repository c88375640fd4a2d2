#include "launch/batch/slurm.hpp"

#include <doctest/doctest.h>

#include <map>

#include "core/check.hpp"
#include "tests/launch/batch/played_slurm.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::PlayedSlurm;

namespace {

Slurm in(const std::map<std::string, std::string>& environment) {
    return Slurm([environment](const char* name) {
        const auto found = environment.find(name);
        return found != environment.end() ? found->second.c_str() : nullptr;
    });
}

const Slurm real_slurm(::getenv);

}  // namespace

TEST_CASE("Slurm's environment says which job we are in, on which nodes, and until when") {
    const auto job = in({{"SLURM_JOB_ID", "7"},
                         {"SLURM_JOB_NODELIST", "n[1-2]"},
                         {"SLURM_JOB_NUM_NODES", "2"},
                         {"SLURM_JOB_END_TIME", "1800000000"}})
                         .own_job();

    REQUIRE(job);
    CHECK(job->id == "7");
    CHECK(job->nodes == "n[1-2]");
    CHECK(job->num_nodes == 2);
    CHECK(job->end == 1.8e9);
    CHECK_FALSE(in({{"SLURM_JOB_ID", "7"}}).own_job()->end);  // an older Slurm
    CHECK_FALSE(in({}).own_job());
}

TEST_CASE("a task of a job array is a job of its own, even the one with the array's number") {
    const auto task = in({{"SLURM_JOB_ID", "17"}, {"SLURM_ARRAY_JOB_ID", "17"}, {"SLURM_ARRAY_TASK_ID", "5"}});

    CHECK(task.own_job()->id == "17_5");
    CHECK(task.is_own_job("17_5"));
    CHECK_FALSE(task.is_own_job("17_4"));
}

TEST_CASE("a step has the tasks and GPUs that Slurm gave it") {
    CHECK(in({{"SLURM_STEP_NUM_TASKS", "4"}}).num_tasks() == 4);
    CHECK_FALSE(in({}).num_tasks());

    CHECK(in({{"SLURM_JOB_GPUS", "0,1"}, {"SLURM_STEP_GPUS", "1"}}).gpus() == "1");
    CHECK(in({{"SLURM_JOB_GPUS", "0,1"}}).gpus() == "0,1");
    CHECK_FALSE(in({}).gpus());
}

TEST_CASE("srun starts ranks through the interface of their MPI") {
    CHECK(in({}).rank_launcher("pmi2").command == "srun --mpi=pmi2");
    CHECK(in({}).rank_launcher("").on_each_node() == "srun --ntasks-per-node=1");
    CHECK(in({}).rank_launcher("pmix").for_sweep() ==
          "srun --mpi=pmix --no-kill --kill-on-bad-exit=0 --ntasks-per-node=1");
}

TEST_CASE("within a step, as in a shell of srun --pty, a new step does not wait for the first one to end") {
    CHECK(in({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}}).rank_launcher("pmix").on_each_node() ==
          "srun --mpi=pmix --overlap --ntasks-per-node=1");
}

TEST_CASE("a heterogeneous job has the nodes of all its parts and starts ranks on all of them") {
    std::map<std::string, std::string> environment{{"SLURM_JOB_ID", "7"},
                                                   {"SLURM_JOB_NODELIST", "n1"},
                                                   {"SLURM_JOB_NUM_NODES", "1"},
                                                   {"SLURM_HET_SIZE", "2"},
                                                   {"SLURM_JOB_ID_HET_GROUP_0", "7"},
                                                   {"SLURM_JOB_NODELIST_HET_GROUP_0", "n1"},
                                                   {"SLURM_JOB_NUM_NODES_HET_GROUP_0", "1"},
                                                   {"SLURM_JOB_NODELIST_HET_GROUP_1", "n[2-3]"},
                                                   {"SLURM_JOB_NUM_NODES_HET_GROUP_1", "2"}};
    const auto job = in(environment);
    environment["SLURM_JOB_ID"] = "8";
    const auto queued_from_its_shell = in(environment);

    CHECK(job.own_job()->nodes == "n1,n[2-3]");
    CHECK(job.own_job()->num_nodes == 3);
    CHECK(job.rank_launcher("pmix").on_each_node() == "srun --mpi=pmix --het-group=0,1 --ntasks-per-node=1");
    CHECK(queued_from_its_shell.own_job()->num_nodes == 1);
    CHECK(queued_from_its_shell.rank_launcher("pmix").on_each_node() == "srun --mpi=pmix --ntasks-per-node=1");
}

TEST_CASE("a heterogeneous job, with a line in squeue for each part, is not over while it runs") {
    const PlayedSlurm tools;
    tools.answer("squeue", R"(case $* in
        *%i*) printf '17+0 RUNNING\n17+1 RUNNING\n' ;;
        *%T*) printf 'RUNNING\nRUNNING\n' ;;
        *%L*) printf '1:00:00\n1:00:00\n' ;;
    esac)");

    CHECK(real_slurm.state("17") == JobState::running);
    CHECK(real_slurm.states({"17"}).at("17") == JobState::running);
    CHECK(real_slurm.time_left("17") == std::chrono::hours(1));
}

TEST_CASE("a job is queued, running or gone, or its state is unknown if Slurm does not answer") {
    const PlayedSlurm tools;
    const auto state_at = [&](const std::string& word) {
        tools.answer("squeue", "echo " + word);
        return real_slurm.state("17");
    };
    CHECK(state_at("PENDING") == JobState::queued);
    CHECK(state_at("REQUEUE_HOLD") == JobState::queued);
    CHECK(state_at("RUNNING") == JobState::running);
    CHECK(state_at("COMPLETING") == JobState::running);
    CHECK(state_at("CANCELLED") == JobState::gone);
    CHECK(state_at("") == JobState::gone);

    tools.answer("squeue", "exit 1");
    CHECK_FALSE(real_slurm.state("17"));
}

TEST_CASE("words that are none of Slurm's do not end a job") {
    const PlayedSlurm tools;
    tools.answer("squeue", "echo 'maintenance on Monday'; echo RUNNING");
    CHECK(real_slurm.state("17") == JobState::running);

    tools.answer("squeue", "echo 'maintenance on Monday'");
    CHECK_FALSE(real_slurm.state("17"));
    CHECK_FALSE(real_slurm.states({"17"}).at("17"));

    tools.answer("squeue", "echo maintenance; echo 17 PENDING");
    const auto states = real_slurm.states({"17", "18"});
    CHECK(states.at("17") == JobState::queued);
    CHECK_FALSE(states.at("18"));
}

TEST_CASE("the job's id is found in sbatch's answer, whatever a site prints around it") {
    const PlayedSlurm tools;
    tools.answer("sbatch", "echo 'your quota is fine'; echo '17;cluster'; echo 'have a nice day'");
    CHECK(real_slurm.is_installed());
    CHECK(real_slurm.submit("/sweeps/s/job.sh", "") == "17;cluster");
    CHECK(tools.calls("sbatch --parsable /sweeps/s/job.sh") == 1);

    tools.answer("sbatch", "echo 'invalid partition'; exit 1");
    CHECK_THROWS_WITH_AS(real_slurm.submit("job.sh", ""),
                         doctest::Contains("sbatch refuses the job: invalid partition"), InvalidInput);
}

TEST_CASE("one call of squeue asks about all jobs on a cluster, and jobs that it does not list are gone") {
    const PlayedSlurm tools;
    tools.answer("squeue", R"(case $* in
        *wice*) echo 'CLUSTER: wice'; echo '17 RUNNING' ;;
        *) printf '17 PENDING\n20_3 RUNNING\n' ;;
    esac)");

    const auto states = real_slurm.states({"17", "17;wice", "18", "20_3"});

    CHECK(states == JobStates{{"17", JobState::queued},
                              {"17;wice", JobState::running},
                              {"18", JobState::gone},
                              {"20_3", JobState::running}});
    CHECK(tools.calls("squeue") == 2);
    CHECK(tools.calls("squeue --noheader --jobs=17,18,20_3 --format=%i %T") == 1);

    tools.answer("squeue", "exit 1");
    CHECK_FALSE(real_slurm.states({"17"}).at("17"));
}

TEST_CASE("a job is queried and cancelled on the cluster where it was queued") {
    const PlayedSlurm tools;
    tools.answer("squeue", "echo 'CLUSTER: wice'; echo PENDING");  // some print the cluster despite --noheader

    CHECK(real_slurm.state("17;wice") == JobState::queued);
    real_slurm.cancel("17;wice");

    CHECK(tools.calls("squeue --clusters=wice --noheader --jobs=17 --format=%T") == 1);
    CHECK(tools.calls("scancel --clusters=wice 17") == 1);
    CHECK(real_slurm.state_command("17;wice") == "squeue --clusters=wice --jobs=17");
    CHECK(in({{"SLURM_JOB_ID", "17"}}).is_own_job("17;wice"));

    tools.answer("squeue", "echo 'CLUSTER: wice'");
    CHECK(real_slurm.state("17;wice") == JobState::gone);
}

TEST_CASE("a job may be queued if sbatch did not answer in time, or without an id") {
    const PlayedSlurm tools;
    tools.answer("sbatch", "echo 'Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1");

    CHECK_THROWS_WITH_AS(real_slurm.submit("/sweeps/s/job.sh", ""),
                         doctest::Contains("Check whether `squeue --me --format='%i %T %o'` shows /sweeps/s/job.sh."),
                         JobMayBeQueued);
    tools.answer("sbatch", "echo 'have a nice day'");
    CHECK_THROWS_WITH_AS(real_slurm.submit("/sweeps/s/job.sh", ""),
                         doctest::Contains("whether it queued the job: have a nice day"), JobMayBeQueued);
}

TEST_CASE("a job submitted from within the last one is on the same cluster") {
    const PlayedSlurm tools;
    const auto job_17 = in({{"SLURM_JOB_ID", "17"}});
    tools.answer("sbatch", "echo 18");

    CHECK(job_17.submit("job.sh", "17;wice") == "18;wice");
    CHECK(job_17.submit("job.sh", "17") == "18");
    CHECK(job_17.submit("job.sh", "16;wice") == "18");
    tools.answer("sbatch", "echo '18;other'");
    CHECK(job_17.submit("job.sh", "17;wice") == "18;other");
}

TEST_CASE("a failure to cancel a job is reported in scancel's words") {
    const PlayedSlurm tools;
    real_slurm.cancel("17");
    CHECK(tools.calls("scancel 17") == 1);

    tools.answer("scancel", "echo 'Access denied'; exit 1");
    CHECK_THROWS_WITH_AS(real_slurm.cancel("17"), doctest::Contains("job 17 cannot be cancelled: Access denied"),
                         InvalidInput);
}

TEST_CASE("Slurm says how much time a job has left, in any form, or does not know") {
    const PlayedSlurm tools;
    const auto told = [&](const std::string& word) {
        tools.answer("squeue", "echo " + word);
        return real_slurm.time_left("17");
    };

    CHECK(told("2-01:00:00") == std::chrono::hours(49));
    CHECK(told("1:30") == std::chrono::seconds(90));
    CHECK(told("0:00") == std::chrono::seconds(0));
    CHECK(told("UNLIMITED") > std::chrono::hours(8000));
    CHECK_FALSE(told("INVALID"));  // the job's time is over
    CHECK_FALSE(told(""));
    CHECK(tools.calls("squeue --noheader --jobs=17 --format=%L --states=RUNNING") == 6);

    tools.answer("squeue", "exit 1");
    CHECK_FALSE(real_slurm.time_left("17"));
}
