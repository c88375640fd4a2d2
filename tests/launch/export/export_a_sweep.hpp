#pragma once

#include "launch/export/export_formats.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

namespace crescendo::tests {

/// A recorded sweep of four trials with one slot each. The first finished, the second was stopped by the end of the
/// sweep's time, the third failed and the fourth has not reported.
inline std::string various_trials() {
    return "name: first\nmetric: {name: accuracy, goal: maximize}\nrun_cap: 4\nmax_retries: 0\nbudget: {time: 1h}\n"
           "parameters:\n"
           "  lr: {distribution: log_uniform_values, min: 1e-4, max: 0.1}\n"
           "  noise: {distribution: normal, mu: 0, sigma: 1}\n"
           "  layers: {min: 2, max: 8}\n"
           "  act: {values: [relu, null, [1, 2]]}\n"
           "  twice: {expression: 2 * lr}\n"
           "scheduler: {type: fifo, max: 2}\ncommand: [train]\n";
}

inline void record_various_trials(const std::filesystem::path& path) {
    record_sweep(path, various_trials(), {{10, 0, 1, 0.5}, {12, 1, 1, 0.25}, {20, 0, 2, 0.75}}, 4);
    auto journal = launch::Journal::open(path / "journal.jsonl");
    journal.append({{"event", "trial_reported"}, {"trial", 2}, {"resource", 1}, {"loss", nullptr}, {"time", 1021},
                    {"metrics", {{"accuracy", nullptr}, {"val/loss", 3}}}});
    journal.append({{"event", "trial_failed"}, {"trial", 2}, {"kind", "crash"}, {"time", 1022.5},
                    {"message", "Segmentation fault\n\"\\"}});
    journal.append({{"event", "time_up"}, {"time", 1030}});
    journal.sync();
}

/// The files of an export of that sweep, by name.
struct ExportedSweep {
    explicit ExportedSweep(launch::Exported (*write)(const launch::ExportRequest&)) {
        record_various_trials(folder / "first");
        const launch::RecordedSweep sweep(folder / "first", launch::Reports::all);
        auto exported = write({.sweep = sweep, .folder = "/out put"});
        files = std::map(exported.files.begin(), exported.files.end());
        remarks = std::move(exported.remarks);
    }

    /// The content of the file whose name ends in `end`.
    const std::string& operator[](const std::string& end) const {
        for (const auto& [name, content] : files) {
            if (name.ends_with(end)) {
                return content;
            }
        }
        throw std::out_of_range("no file " + end);
    }

    TemporaryFolder folder;
    std::map<std::string, std::string> files;
    std::vector<std::string> remarks;
};

}  // namespace crescendo::tests
