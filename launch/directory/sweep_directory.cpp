#include "launch/directory/sweep_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <system_error>

#include "core/check.hpp"
#include "core/files/paths_in.hpp"
#include "core/shell_words.hpp"
#include "launch/directory/earlier_results.hpp"
#include "launch/directory/metric_note.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/journal.hpp"

namespace crescendo::launch {

namespace fs = std::filesystem;

namespace {

/// Whether trials may have reported. Quick, because a journal without reports is short.
bool mentions_reports(const fs::path& journal) {
    std::ifstream file(journal);
    for (std::string line; std::getline(file, line);) {
        if (line.find("trial_reported") != std::string::npos) {
            return true;
        }
    }
    return false;
}

/// A text in a sweep's run.json, whose path is for the message.
std::string text_in(const Json& run, const char* key, const fs::path& path) {
    CRESCENDO_VALIDATE(run.contains(key) && run.at(key).is_string(), "",
                       "{}: has no text \"{}\", although `crescendo run` wrote one; restore the file from a copy",
                       path.string(), key);
    return run.at(key);
}

}  // namespace

SweepDirectory SweepDirectory::create(const fs::path& path, const std::string& sweep_file, const Json& run,
                                      fs::perms permissions) {
    SweepDirectory result(path.string().starts_with('-') ? "." / path : path);  // read as an option otherwise
    const auto refuse = [&](const std::error_code& why) {
        throw InvalidInput(fmt::format("{}: a sweep cannot be kept here: {}; choose another folder with --dir",
                                       path.string(), why.message()));
    };
    std::error_code unknown;
    const bool existed = fs::exists(path, unknown);
    if (unknown) {
        refuse(unknown);
    }
    if (fs::exists(result.journal(), unknown)) {
        const bool is_another =
            !fs::exists(result.sweep_file(), unknown) || read_regular_file(result.sweep_file()) != sweep_file;
        throw InvalidInput(fmt::format(
            "{}: already holds a sweep; `{}` continues it{}; --dir NAME starts a new one elsewhere{}", path.string(),
            result.way_to_continue(), is_another ? " with its own sweep file, which differs from this one" : "",
            is_another && !mentions_reports(result.journal())
                ? fmt::format("; no trial has reported yet, so unless it is running, `rm -r {}` loses nothing",
                              shell_quoted(path))
                : ""));
    }
    if (existed && !fs::is_directory(path, unknown)) {
        throw InvalidInput(
            fmt::format("{}: is a file, but a sweep needs its own folder; choose one with --dir", path.string()));
    }
    result.is_new_ = !existed;
    const bool is_empty = !existed || fs::is_empty(path, unknown);
    if (unknown) {
        refuse(unknown);
    }
    if (!is_empty) {
        throw InvalidInput(fmt::format(
            "{}: holds other files, but a sweep needs its own folder; choose another with --dir", path.string()));
    }
    std::error_code failed;
    fs::create_directories(path, failed);
    // The process that creates this folder begins the sweep, and only it may remove files here.
    const bool is_ours = !failed && fs::create_directory(path / "trials", failed);
    if (failed) {
        if (!existed) {
            fs::remove(path, unknown);  // unless another process has put something there
        }
        refuse(failed);
    }
    if (!is_ours) {
        throw InvalidInput(fmt::format(
            "{}: another process has just started a sweep here; --dir NAME starts one elsewhere", path.string()));
    }
    try {
        replace_file(result.sweep_file(), sweep_file, Durability::on_disk, permissions);
        result.write_run(run);
    } catch (const std::system_error& error) {
        result.discard();
        refuse(error.code());
    }
    return result;
}

bool SweepDirectory::is_copy_of(const std::filesystem::path& path) const {
    struct stat theirs {
    }, ours{};
    return ::stat(path.c_str(), &theirs) == 0 && S_ISDIR(theirs.st_mode) && ::stat(path_.c_str(), &ours) == 0 &&
           theirs.st_ino != ours.st_ino;
}

SweepDirectory SweepDirectory::open(const fs::path& path) {
    SweepDirectory result(path);
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        if (error && error != std::errc::no_such_file_or_directory) {
            cannot_read(path, error.value());
        }
        throw InvalidInput(fmt::format("{}: {}; name the directory of a sweep that `crescendo run` created",
                                       path.string(), fs::exists(path, error) ? "is a file" : "no such directory"));
    }
    const bool has_file = is_there(result.sweep_file());
    const bool has_journal = is_there(result.journal());
    CRESCENDO_VALIDATE(has_file || !has_journal, "",
                       "{}: has a journal.jsonl, but its sweep.yaml is gone; put the file back: the first line of "
                       "journal.jsonl has its keys and values",
                       path.string());
    CRESCENDO_VALIDATE(has_file && has_journal, "",
                       "{}: holds no sweep (no sweep.yaml with a journal.jsonl); `crescendo run` creates one",
                       path.string());
    return result;
}

std::string SweepDirectory::way_to_continue() const {
    return fmt::format("crescendo {} {}", is_there(job_script()) ? "submit" : "resume", shell_quoted(path_));
}

/// `resume` would train here instead of in a job, and `submit` has no option for retries.
std::string SweepDirectory::way_to_retry() const {
    return is_there(job_script())
               ? fmt::format("crescendo retry {} --failed && {}", shell_quoted(path_), way_to_continue())
               : way_to_continue() + " --retry-failed";
}

std::string SweepDirectory::way_to_extend(const std::string& setting) const {
    return is_there(job_script())
               ? fmt::format("crescendo set {} {} && {}", shell_quoted(path_), setting, way_to_continue())
               : fmt::format("{} --set {}", way_to_continue(), setting);
}

fs::path SweepDirectory::trial(TrialId id) const { return path_ / "trials" / fmt::format("{:06}", id.value); }

Json SweepDirectory::read_run() const {
    auto run = Json::parse(read_regular_file(this->run()), nullptr, false);
    CRESCENDO_VALIDATE(run.is_object(), "",
                       "{}: is not a JSON object, although `crescendo run` wrote one; restore the file from a copy",
                       this->run().string());
    return run;
}

/// File names may have bytes that are not UTF-8; in_lines() replaces them, so they cannot cost the sweep its directory.
void SweepDirectory::write_run(const Json& run) const {
    replace_file(this->run(), in_lines(run));
}

fs::path SweepDirectory::working_directory() const {
    const fs::path folder = text_in(read_run(), "working_directory", run());
    std::error_code error;
    const auto kind = fs::status(folder, error);
    if (!fs::status_known(kind)) {
        cannot_read(folder, error.value());
    }
    CRESCENDO_VALIDATE(fs::is_directory(kind), "",
                       "{}: its programs run in {}, where the sweep was started, but that is {}; put it back or, if it "
                       "was moved, write its new path as \"working_directory\" into {}",
                       path_.string(), folder.string(), error ? "not there: " + error.message() : "not a folder",
                       run().string());
    return folder;
}

std::string SweepDirectory::job() const {
    const auto noted = read_run();
    return noted.contains("job") ? text_in(noted, "job", run()) : "";
}

void SweepDirectory::note_job(const std::string& job) const {
    auto run = read_run();
    run["job"] = job;
    run["job_directory"] = fs::absolute(path_).lexically_normal().string();
    write_run(run);
}

SweepFile SweepDirectory::read_sweep(const std::vector<Override>& overrides) const {
    const auto run = read_run();
    auto all = noted_metric(run);
    if (run.contains("command")) {
        all.push_back({"command", run.at("command").dump()});
    }
    all.insert(all.end(), overrides.begin(), overrides.end());
    auto file = parse_sweep(read_regular_file(sweep_file()), sweep_file(), all, SweepStage::goes_on);
    file.name = text_in(run, "sweep", this->run());
    add_warm_start(file);
    return file;
}

void SweepDirectory::add_warm_start(SweepFile& file) const {
    if (!file.warm_start.empty()) {
        file.spec.warm_start =
            read_earlier_results(warm_start(), Journal::read_header(journal()).value("warm_start", Json::object()));
    }
}

void SweepDirectory::require_writable() const {
    const auto probe = path_ / "probe";
    try {
        replace_file(probe, std::string(1 << 16, ' '));
        fs::remove(probe);
    } catch (const std::system_error& error) {
        throw DirectoryError(error);
    }
}

void SweepDirectory::discard() const {
    std::error_code ignored;
    for (const auto& each : paths_in(path_)) {
        fs::remove_all(each, ignored);
    }
    if (is_new_) {
        fs::remove(path_, ignored);
    }
}

}  // namespace crescendo::launch
