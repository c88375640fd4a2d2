/// Measures what a report costs and how long its answer takes, with one coordinator and emulated agents of many nodes.
///
///     control_plane DIRECTORY [key=value ...]
///
/// Uses the real coordinator, scheduler (RASDA), history and journal, in a new sweep directory. Keys are `agents`,
/// `slots` (per agent), `reports`, `min` (resource of the first rung; the last one is at 81 times that), `rate` (total
/// reports per second; 0: as many as the coordinator takes) and `sampler`; gp keeps up only with few reports. Prints
/// one JSON object. Leaves the sweep as if it was interrupted.

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "benchmarks/cpu_seconds.hpp"
#include "emulated_agents.hpp"
#include "launch/coordinator/coordinator.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::benchmarks;

namespace {

struct Settings {
    std::map<std::string, double> numbers{
        {"agents", 1024}, {"slots", 4}, {"reports", 1'000'000}, {"min", 27}, {"rate", 0}};
    std::string sampler = "random";

    double at(const std::string& key) const { return numbers.at(key); }
};

Settings settings_from(int argc, char** argv) {
    Settings settings;
    for (int i = 2; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto equals = argument.find('=');
        const auto key = argument.substr(0, equals);
        const auto value = argument.substr(equals + 1);
        if (key == "sampler") {
            settings.sampler = value;
        } else {
            settings.numbers.at(key) = std::stod(value);
        }
    }
    return settings;
}

/// Always starts new trials, so that each slot has its own.
SweepFile sweep_file(const Settings& settings) {
    const auto min = static_cast<std::int64_t>(settings.at("min"));
    return parse_sweep(fmt::format("name: control-plane\n"
                                   "metric: {{name: val_loss}}\n"
                                   "run_cap: 100000000\n"
                                   "method: {}\n"
                                   "parameters:\n"
                                   "  lr: {{distribution: log_uniform_values, min: 1e-4, max: 0.3}}\n"
                                   "  momentum: {{min: 0.0, max: 0.99}}\n"
                                   "  width: {{values: [16, 32, 64]}}\n"
                                   "scheduler: {{type: rasda, min: {}, max: {}, reduction_factor: 3}}\n"
                                   "trainer: {{model: cnn, optimizer: sgd, batch_size: 128}}\n",
                                   settings.sampler, min, 81 * min),
                       "control-plane.yaml");
}

/// A field of /proc/self/status, in MB.
double memory(const std::string& field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field + ":")) {
            return std::stod(line.substr(field.size() + 1)) / 1024;
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') {
        fmt::print(stderr, "usage: {} DIRECTORY [key=value ...]\n", argv[0]);
        return 2;
    }
    const auto settings = settings_from(argc, argv);
    Load load;
    load.num_agents = static_cast<int>(settings.at("agents"));
    load.slots_per_agent = static_cast<int>(settings.at("slots"));
    load.num_reports = static_cast<std::int64_t>(settings.at("reports"));
    if (settings.at("rate") > 0) {
        load.interval = std::chrono::duration<double>(load.num_agents * load.slots_per_agent / settings.at("rate"));
    }
    const auto file = sweep_file(settings);
    EmulatedAgents agents(load);  // first, because its process shares the memory in use
    const auto directory = SweepDirectory::create(argv[1], file.text, Json{{"sweep", file.name}});
    const SweepLock lock(directory);
    auto journal = Journal::create(directory.journal());
    History history(file.spec);
    const StopSignals signals;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::fopen("/dev/null", "w"), std::fclose);
    LogView view(log.get(), {file.name, {}});

    Coordinator({file, directory, journal, history}, agents, view).run(signals);
    const double cpu = cpu_seconds();
    const auto observed = agents.finish();

    const auto reports = static_cast<double>(observed.num_reports);
    Json result{
        {"reports", observed.num_reports},
        {"trials", history.sweep().trials().size()},
        {"turns", agents.num_turns()},
        {"seconds", observed.seconds},
        {"reports_per_second", reports / observed.seconds},
        {"median_ms", 1e3 * observed.median_wait},
        {"p99_ms", 1e3 * observed.p99_wait},
        {"longest_ms", 1e3 * observed.longest_wait},
        {"cpu_us_per_report", 1e6 * cpu / reports},
        {"resident_mb", memory("VmHWM")},
        {"journal_bytes_per_report", static_cast<double>(std::filesystem::file_size(directory.journal())) / reports}};
    fmt::print("{}\n", result.dump());
}
