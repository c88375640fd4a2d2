/// Measures what a trial's start costs the coordinator and the sweep's journal, for measure.py.
///
///     journal DIRECTORY [trials=10000 reports=3 parameters=10 slots=64]
///
/// Uses the real coordinator, scheduler (fifo), history and journal in a new sweep directory. Agents are in the same
/// process, and their trials report as soon as they get a decision. Prints one JSON object.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "benchmarks/cpu_seconds.hpp"
#include "launch/coordinator/coordinator.hpp"
#include "launch/directory/new_sweep.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::benchmarks::cpu_seconds;

namespace {

class InstantAgents final : public Transport {
  public:
    explicit InstantAgents(int num_slots) : num_slots_(num_slots) {}

    std::vector<Slot> slots() const override {
        std::vector<Slot> slots;
        for (int slot = 0; slot < num_slots_; ++slot) {
            slots.push_back({SlotId{slot}, NodeId{0}});
        }
        return slots;
    }

    void send(NodeId, const Order& order) override {
        if (const auto* join = std::get_if<JoinGroup>(&order)) {
            on_[join->join.trial] = join->members.front().slot;
            report(join->join.trial, Resource{1});
        } else if (const auto* go_on = std::get_if<protocol::Decision>(&order)) {
            report(go_on->trial, Resource{reported_[go_on->trial].value + 1});
        } else if (const auto* leave = std::get_if<LeaveTrial>(&order)) {
            notices_.push_back(LeftTrial{leave->trial, on_.at(leave->trial)});
        }
    }

    std::vector<Notice> receive(std::chrono::milliseconds) override { return std::exchange(notices_, {}); }

  private:
    void report(TrialId trial, Resource resource) {
        reported_[trial] = resource;
        const double loss = 1.0 / static_cast<double>(trial.value + resource.value);
        notices_.push_back(protocol::Report{
            .trial = trial, .resource = resource, .metrics = {{"loss", loss}, {"accuracy", 1 - loss}, {"step", 12.5}}});
    }

    int num_slots_;
    std::map<TrialId, SlotId> on_;
    std::map<TrialId, Resource> reported_;
    std::vector<Notice> notices_;
};

SweepFile sweep_file(const std::map<std::string, int>& settings) {
    auto text = fmt::format(
        "name: journal\nmetric: {{name: loss}}\nrun_cap: {}\nscheduler: {{type: fifo, max: {}}}\n"
        "trainer: {{model: cnn}}\nparameters:\n",
        settings.at("trials"), settings.at("reports"));
    for (int i = 0; i < settings.at("parameters"); ++i) {
        text += fmt::format("  parameter_{}: {{distribution: log_uniform_values, min: 1e-4, max: 0.3}}\n", i);
    }
    return parse_sweep(text, "journal.yaml");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') {
        fmt::print(stderr, "usage: {} DIRECTORY [key=value ...]\n", argv[0]);
        return 2;
    }
    std::map<std::string, int> settings{{"trials", 10'000}, {"reports", 3}, {"parameters", 10}, {"slots", 64}};
    for (int i = 2; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto equals = argument.find('=');
        settings.at(argument.substr(0, equals)) = std::stoi(argument.substr(equals + 1));
    }
    const auto file = sweep_file(settings);
    const auto directory = create_sweep(argv[1], file);
    auto journal = Journal::open(directory.journal());
    History history(file.spec);
    InstantAgents agents(settings.at("slots"));
    const StopSignals signals;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::fopen("/dev/null", "w"), std::fclose);
    LogView view(log.get(), {file.name, {}});

    const auto begin = std::chrono::steady_clock::now();
    const double cpu_before = cpu_seconds();
    Coordinator({file, directory, journal, history}, agents, view).run(signals);
    const double cpu = cpu_seconds() - cpu_before;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

    const double starts = settings.at("trials");
    fmt::print("{}\n",
               Json{{"us_per_start", 1e6 * seconds.count() / starts},
                    {"cpu_us_per_start", 1e6 * cpu / starts},
                    {"bytes_per_start", static_cast<double>(std::filesystem::file_size(directory.journal())) / starts}}
                   .dump());
}
