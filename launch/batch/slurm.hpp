#pragma once

#include <string>
#include <string_view>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {

/// Slurm, used through its commands and the variables that it sets in jobs and steps. A job's id is sbatch's answer:
/// "17", or "17;wice" if a site has several clusters and one was chosen. The job itself knows only 17, on its cluster.
class Slurm final : public BatchSystem {
  public:
    explicit Slurm(Variables variables) : variables_(std::move(variables)) {}

    std::string name() const override { return "Slurm"; }
    bool is_installed() const override;
    std::optional<OwnJob> own_job() const override;
    bool is_beside_own_job() const override;
    std::optional<int> num_tasks() const override;
    bool is_of_rank(std::string_view variable) const override;
    std::optional<std::string> gpus() const override;
    RankLauncher rank_launcher(const std::string& pmi) const override;
    std::string submit_command() const override { return "sbatch"; }
    std::string id_in_path() const override { return "%j"; }
    ScriptParts script_parts(const JobRequest& request) const override;
    std::string id_in_job(const std::string& job) const override;
    std::string submit(const std::filesystem::path& script, const std::string& last_job) const override;
    std::optional<JobState> state(const std::string& job) const override;
    JobStates states(const std::vector<std::string>& jobs) const override;
    std::optional<std::chrono::seconds> time_left(const std::string& job) const override;
    std::string state_command(const std::string& job) const override;
    void cancel(const std::string& job) const override;
    void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log) const override;

  private:
    std::string text(const std::string& variable) const;  // empty if the variable is not set
    int number(const std::string& variable) const;
    /// The parts of a heterogeneous job (`salloc -N1 : -N2`), whose nodes have options of their own; empty for other
    /// jobs.
    std::vector<int> parts_of_job() const;

    Variables variables_;
};

}  // namespace crescendo::launch
