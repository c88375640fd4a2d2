#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/history.hpp"
#include "launch/journal/journal.hpp"

namespace crescendo::tests {

/// A report of a trial, `time` seconds after the sweep's start.
struct Report {
    double time;
    int trial;
    int resource;
    double accuracy;
};

/// The file of a sweep of two trials, each on a slot of its own from the start.
inline std::string two_trials(int seed, const std::string& more = "") {
    return "metric: {name: accuracy, goal: maximize}\nrun_cap: 2\nseed: " + std::to_string(seed) +
           "\nparameters: {x: {min: 0.0, max: 1.0}}\nscheduler: {type: fifo, max: 9}\ncommand: [train]\n" + more;
}

/// Records a sweep with `num_slots` slots and a metric that is maximized.
inline void record_sweep(const std::filesystem::path& path, const std::string& file, const std::vector<Report>& reports,
                         int num_slots = 2) {
    std::filesystem::create_directories(path.parent_path());
    const auto directory = launch::SweepDirectory::create(path, file, {{"sweep", path.filename().string()}});
    auto journal = launch::Journal::create(directory.journal());
    constexpr double start = 1000;
    journal.append(launch::session_note(start, "host", num_slots));
    auto slots = launch::Json::array();
    for (int i = 0; i < num_slots; ++i) {
        slots.push_back({{"slot", i}, {"node", 0}});
    }
    journal.append({{"event", "slots_joined"}, {"time", start}, {"slots", slots}});
    for (const auto& each : reports) {
        journal.append({{"event", "trial_reported"},
                        {"trial", each.trial},
                        {"resource", each.resource},
                        {"loss", -each.accuracy},
                        {"time", start + each.time},
                        {"metrics", {{"accuracy", each.accuracy}}}});
    }
    journal.sync();
}

}  // namespace crescendo::tests
