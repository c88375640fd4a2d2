#pragma once

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

namespace crescendo::tests {

/// A copy of a sweep that stopped in its second trial: `s` in a folder of its own.
struct OldSweep {
    OldSweep() { fs::copy(CRESCENDO_OLD_SWEEP, folder / "s", fs::copy_options::recursive); }

    Result run(const std::vector<std::string>& arguments) const { return run_crescendo(folder.path(), arguments); }

    /// As if a job of this number had been submitted for it.
    void note_job(const std::string& number) const {
        auto run = Json::parse(content_of(folder / "s/run.json"));
        run["job"] = number;
        write_file(folder / "s/run.json", run.dump());
        write_file(folder / "s/job.sh", "");
    }

    TemporaryFolder folder;
};

}  // namespace crescendo::tests
