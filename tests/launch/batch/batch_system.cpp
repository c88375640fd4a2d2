#include "launch/batch/batch_system.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

namespace {

/// A batch system with only the answers that choose_batch_system needs.
BatchSystemFactory played(const std::string& name, bool has_our_job, bool is_installed) {
    class Played final : public BatchSystem {
      public:
        Played(std::string name, bool has_our_job, bool is_installed)
            : name_(std::move(name)), has_our_job_(has_our_job), is_installed_(is_installed) {}

        std::string name() const override { return name_; }
        bool is_installed() const override { return is_installed_; }
        std::optional<OwnJob> own_job() const override {
            return has_our_job_ ? std::optional(OwnJob{"17", "n1", 1, {}}) : std::nullopt;
        }
        bool is_beside_own_job() const override { return false; }
        std::optional<int> num_tasks() const override { return std::nullopt; }
        bool is_of_rank(std::string_view) const override { return false; }
        std::optional<std::string> gpus() const override { return std::nullopt; }
        RankLauncher rank_launcher(const std::string&) const override { return {}; }
        std::string submit_command() const override { return {}; }
        std::string id_in_path() const override { return {}; }
        ScriptParts script_parts(const JobRequest&) const override { return {}; }
        std::string submit(const std::filesystem::path&, const std::string&) const override { return {}; }
        std::optional<JobState> state(const std::string&) const override { return std::nullopt; }
        JobStates states(const std::vector<std::string>&) const override { return {}; }
        std::optional<std::chrono::seconds> time_left(const std::string&) const override { return std::nullopt; }
        std::string state_command(const std::string&) const override { return {}; }
        void cancel(const std::string&) const override {}
        void rescue_if_orphaned(const std::string&, const std::filesystem::path&) const override {}

      private:
        std::string name_;
        bool has_our_job_;
        bool is_installed_;
    };
    return [=](const Variables&) { return std::make_unique<Played>(name, has_our_job, is_installed); };
}

std::string chosen(const std::vector<BatchSystemFactory>& known) {
    return choose_batch_system(known, ::getenv)->name();
}

}  // namespace

TEST_CASE("the batch system of our own job is chosen, else an installed one, else the first") {
    CHECK(chosen({played("A", false, true), played("B", true, false)}) == "B");
    CHECK(chosen({played("A", false, false), played("B", false, true)}) == "B");
    CHECK(chosen({played("A", false, false), played("B", false, false)}) == "A");
}

TEST_CASE("a process is in its own job and in no other") {
    const auto inside = played("A", true, true)(::getenv);
    CHECK(inside->is_own_job("17"));
    CHECK_FALSE(inside->is_own_job("18"));

    CHECK_FALSE(played("A", false, true)(::getenv)->is_own_job(""));
}

TEST_CASE("Crescendo knows Slurm") { CHECK(batch_system()->name() == "Slurm"); }
