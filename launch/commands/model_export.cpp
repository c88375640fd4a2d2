#include "launch/commands/model_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/writing.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/directory/waste.hpp"
#include "launch/files/read_file.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/process/program_paths.hpp"
#include "launch/process/shell.hpp"
#include "launch/sweep_file/command/nested_config.hpp"
#include "launch/trainers/trial_work.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// Long, because a large model may go to a slow disk.
constexpr std::chrono::minutes time_to_export{30};

/// A temporary folder beside `out`. complete() renames it to `out`; otherwise the destructor removes it.
class NewFolder {
  public:
    explicit NewFolder(fs::path out)
        : out_(out.has_filename() ? std::move(out) : out.parent_path()), partial_(own_name(out_, "partial")) {
        std::error_code none;
        CRESCENDO_VALIDATE(
            !is_there(out_) || (fs::is_directory(out_) && fs::is_empty(out_, none)), "--export",
            "{} already exists and is not an empty folder, but an export needs one of its own; name another one",
            out_.string());
        std::error_code failed;
        fs::create_directories(fs::absolute(out_).parent_path(), failed);
        const bool is_new = !failed && fs::create_directory(partial_, failed);
        CRESCENDO_VALIDATE(is_new, "--export", "cannot create the folder {}: {}; name another one", partial_.string(),
                           failed ? failed.message() : "it already exists");
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;
    ~NewFolder() {
        std::error_code none;
        fs::remove_all(partial_, none);
    }

    const fs::path& path() const { return partial_; }

    void complete() const { fs::rename(partial_, out_); }

  private:
    fs::path out_;
    fs::path partial_;
};

/// Runs `crescendo-trainer --export` on the trial's checkpoint, and returns its answer: what it wrote.
Json write_model(const RecordedSweep& sweep, TrialId trial, const fs::path& folder) {
    const auto& directory = sweep.directory;
    const auto work = work_of(trial, sweep.history.sweep(), sweep.file, directory);
    const Json request{{"trial", trial.value},
                       {"settings", Json::parse(work.join.settings.text)},
                       {"checkpoint", fs::absolute(directory.checkpoint(trial)).string()},
                       {"folder", fs::absolute(folder).string()},
                       {"working_directory", directory.working_directory().string()}};
    const auto trainer = ProgramPaths::find().trainer;
    CRESCENDO_VALIDATE(is_executable(trainer), "--export",
                       "only crescendo-trainer can read the model's weights, but {} is not a program; export where "
                       "Crescendo was built with LibTorch",
                       trainer);
    const auto result = run_tool({trainer, "--export"}, {.input = request.dump(), .patience = time_to_export});
    const auto answer = Json::parse(result.output.substr(result.output.rfind('\n') + 1), nullptr, false);
    if (!result.success() || !answer.is_object()) {
        const auto problem = fmt::format("trial {} cannot be exported: {}", trial.value, result.words());
        if (result.code == static_cast<int>(ExitCode::bad_input)) {
            throw InvalidInput(problem);
        }
        throw std::runtime_error(problem);
    }
    return answer;
}

}  // namespace

void export_trial(const RecordedSweep& sweep, TrialId trial, const fs::path& out) {
    const auto& directory = sweep.directory;
    const auto where = directory.path().string();
    const auto& recorded = sweep.history.sweep().trial(trial);
    const auto parameters =
        launch::to_json(nested(with_whole_numbers(recorded.config, sweep.file.spec.space), sweep.file.groups)).dump(2) +
        "\n";
    if (!sweep.file.trainer) {
        const NewFolder folder(out);
        replace_file(folder.path() / "parameters.json", parameters);
        folder.complete();
        fmt::print("{}: parameters.json of trial {}\n", out.string(), trial.value);
        fmt::print("Your own program trained it, and only that program knows the model; {}\n",
                   has_left_files(trial, directory)
                       ? fmt::format("its files are in {}", directory.trial(trial).string())
                       : fmt::format("it saved nothing in {} (${{trial_dir}} in `command:`, or "
                                     "CRESCENDO_TRIAL_DIR); `crescendo retrain {} --trial {}` trains it again",
                                     directory.trial(trial).string(), shell_quoted(where), trial.value));
        return;
    }
    CRESCENDO_VALIDATE(is_there(directory.checkpoint(trial)), "--trial",
                       "trial {} has no checkpoint in {}: it has not saved one yet, or its checkpoint was removed, "
                       "because only the best and unfinished trials keep theirs; "
                       "`crescendo retrain {} --trial {}` trains it again",
                       trial.value, directory.trial(trial).string(), shell_quoted(where), trial.value);
    const NewFolder folder(out);
    const auto answer = write_model(sweep, trial, folder.path());
    replace_file(folder.path() / "parameters.json", parameters);
    folder.complete();
    fmt::print("{}: trial {} at {}: parameters.json, {}\n", out.string(), trial.value,
               answer.at("resource").get<std::int64_t>(),
               fmt::join(answer.at("files").get<std::vector<std::string>>(), ", "));
    const auto left_out = answer.value("left_out", Json::object());
    for (const auto& [file, reason] : left_out.items()) {
        fmt::print("  Left out {}: {}\n", file, reason.get<std::string>());
    }
    if (is_there(out / "load.py")) {
        fmt::print(
            "  python3 {}     runs the model on the validation samples, and compares the metrics with the sweep's\n",
            (out / "load.py").string());
    } else {
        fmt::print(
            "  The model comes from a plug-in, and only the plug-in knows its network. model.pt has the weights\n"
            "  and buffers: read it with torch::pickle_load in C++, or torch.load in Python\n");
    }
    if (answer.at("resource") < recorded.resource.value) {
        const auto remedy =
            recorded.ended()
                ? fmt::format("{}its later training is lost; `crescendo retrain {} --trial {}` trains it again",
                              sweep.holder ? "unless its workers are saving it now, " : "", shell_quoted(where),
                              trial.value)
                : "export again once it has ended";
        remark(fmt::format("warning: trial {} has reported at {}, but its last checkpoint is from its report at {}; {}",
                           trial.value, recorded.resource.value, answer.at("resource").get<std::int64_t>(), remedy));
    }
}

}  // namespace crescendo::launch
