#include "launch/agent/node_energy.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// Shows the value that the test sets.
class PlayedMeter final : public EnergyMeter {
  public:
    explicit PlayedMeter(const std::optional<double>& shown) : shown_(shown) {}
    std::optional<double> joules() override { return shown_; }

  private:
    const std::optional<double>& shown_;
};

struct MeteredNode {
    NodeEnergy make() {
        std::vector<NodeEnergy::Gpu> gpus;
        gpus.push_back({std::make_unique<PlayedMeter>(gpu), SlotId{0}});
        return {std::make_unique<PlayedMeter>(cpus), std::move(gpus)};
    }

    std::optional<double> cpus = 0.0;
    std::optional<double> gpu = 0.0;
};

}  // namespace

TEST_CASE("a GPU's energy belongs to the trial of its slot and is reported once") {
    MeteredNode node;
    auto energy = node.make();
    node.gpu = 1.0;
    energy.note_trial(SlotId{0}, TrialId{3});
    node.gpu = 5.0;
    energy.note_trial(SlotId{0}, TrialId{3});
    node.gpu = 7.0;
    energy.note_trial(SlotId{0}, TrialId{4});
    node.gpu = 7.5;
    node.cpus = 20.0;

    const auto used = energy.used(NodeId{2});
    const auto again = energy.used(NodeId{2});

    CHECK(used.node == NodeId{2});
    CHECK(used.idle_gpus == 1.0);
    CHECK(used.trials == std::map<TrialId, double>{{TrialId{3}, 6.0}, {TrialId{4}, 0.5}});
    CHECK(used.cpus == 20.0);
    CHECK(again.cpus == 0.0);
    CHECK(again.trials.at(TrialId{4}) == 0.0);
}

TEST_CASE("a GPU that slots share is measured once, and its energy belongs to no trial") {
    std::optional<double> shown = 0.0;
    std::vector<NodeEnergy::Gpu> gpus;
    gpus.push_back({std::make_unique<PlayedMeter>(shown)});
    NodeEnergy energy(nullptr, std::move(gpus));
    energy.note_trial(SlotId{0}, TrialId{3});
    shown = 5.0;

    const auto used = energy.used(NodeId{0});

    CHECK(used.has_gpus);
    CHECK(used.idle_gpus == 5.0);
    CHECK(used.trials.empty());
}

TEST_CASE("a meter that cannot be read is left out instead of reported as 0") {
    MeteredNode node;
    node.gpu.reset();
    auto energy = node.make();
    energy.note_trial(SlotId{0}, TrialId{3});

    const auto used = energy.used(NodeId{0});

    CHECK(used.has_cpus);
    CHECK_FALSE(used.has_gpus);
    CHECK(used.trials.empty());
    node.cpus.reset();
    CHECK_FALSE(node.make().has_meters());
    CHECK_FALSE(node.make().is_due());
}

TEST_CASE("a meter that fails for a moment loses nothing") {
    MeteredNode node;
    auto energy = node.make();
    node.cpus.reset();
    CHECK(energy.used(NodeId{0}).cpus == 0.0);

    node.cpus = 8.0;

    CHECK(energy.used(NodeId{0}).cpus == 8.0);
}
