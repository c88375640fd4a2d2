#include "launch/directory/new_sweep.hpp"

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/host_name.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/directory/earlier_results.hpp"
#include "launch/directory/frozen_file.hpp"
#include "launch/journal/journal.hpp"

namespace crescendo::launch {

namespace {

namespace fs = std::filesystem;

/// A sweep's files and messages are JSON, which is UTF-8. A folder with another name could not be found again.
void require_utf8(const fs::path& folder, const char* what, const char* remedy) {
    const Json text(folder.string());
    CRESCENDO_VALIDATE(
        one_line(text) == text.dump(-1, ' ', false, Json::error_handler_t::ignore), "",
        "{}: the name of {} is not UTF-8, but the sweep stores names as UTF-8, so it could not be found again; {}",
        folder.string(), what, remedy);
}

/// The permissions for the copy of a sweep file: nobody may read the copy who cannot read the original.
fs::perms permissions_of(const fs::path& sweep_file) {
    std::error_code unknown;
    const auto status = fs::status(sweep_file, unknown);
    return fs::is_regular_file(status) ? (status.permissions() & for_all) | for_owner : for_all;
}

}  // namespace

SweepDirectory create_sweep(const fs::path& path, const SweepFile& file) {
    require_utf8(fs::current_path(), "the working folder", "rename it, or run from another one");
    if (file.has_warm_trainers()) {
        require_utf8(fs::absolute(path), "the sweep's folder", "choose another with --dir");
    }
    Json run{{"crescendo", CRESCENDO_VERSION},
             {"sweep", file.name},
             {"seed", file.spec.seed},
             {"host", host_name()},
             {"working_directory", fs::current_path().string()}};
    if (file.command && (file.is_adapted_to_wandb || !file.source.has("command"))) {
        run["command"] = *file.command;  // derived from the script, which may change before a resume
    }
    const auto permissions = permissions_of(file.source.file());
    const auto directory = SweepDirectory::create(path, file.text, run, permissions);
    try {
        OrderedJson header{{"sweep", file.name},
                           {"crescendo", CRESCENDO_VERSION},
                           {"file", FrozenFile(file.text, directory.sweep_file()).to_json()}};
        if (!file.warm_start.empty()) {
            header["warm_start"] = write_earlier_results(directory.warm_start(), file.spec.warm_start);
        }
        Journal::create(directory.journal(), header, permissions);
    } catch (const DirectoryError& error) {
        directory.discard();
        throw InvalidInput(error.problem() + "; choose another folder with --dir");
    } catch (const WriteError& error) {
        directory.discard();
        throw InvalidInput(std::string(error.what()) + "; choose another folder with --dir");
    }
    return directory;
}

void note_own_job(const SweepDirectory& directory) {
    const auto system = batch_system();
    if (const auto job = system->own_job(); job && !system->is_own_job(directory.job())) {
        directory.note_job(job->id);
    }
}

}  // namespace crescendo::launch
