#include "launch/export/export_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <set>
#include <string_view>

#include "core/crc32.hpp"
#include "core/files/paths_in.hpp"
#include "core/random.hpp"
#include "core/shell_words.hpp"
#include "launch/export/dated_sweep.hpp"
#include "launch/json/json.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

constexpr auto npos = std::string_view::npos;

// Numbers of mlflow.entities.RunStatus.
enum Status { running = 1, finished = 3, failed = 4 };

Status status_of(const Trial& trial) {
    return trial.status == TrialStatus::failed ? failed : trial.ended() ? finished : running;
}

/// A date in milliseconds, MLflow's unit.
std::int64_t milliseconds(double date) { return static_cast<std::int64_t>(std::llround(date * 1e3)); }

std::string quoted(const std::string& text) {
    return one_line(OrderedJson(text));  // YAML accepts strings in JSON's notation
}

/// A number that tells this sweep from others.
std::uint64_t seed_of(const std::string& name, double date) {
    const auto text = fmt::format("{} {}", name, date);
    return std::uint64_t{crc32(text)} << 32 | crc32("run of " + text);
}

/// The name with only what MLflow allows: letters, digits, spaces and "_-.:/", where "/" makes a folder. A very
/// long name is cut and gets a checksum, because a file's name, and that under which it is first written, are limited.
std::string safe_name(std::string name) {
    constexpr std::size_t longest = 150;
    if (name.size() > longest) {
        const auto checksum = fmt::format("_{:08x}", crc32(name));
        name = name.substr(0, longest - checksum.size()) + checksum;
    }
    for (auto& c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte >= 0x80 || std::isalnum(byte) == 0) && std::string_view("_-.: /").find(c) == npos) {
            c = '_';
        }
    }
    const fs::path path(name);
    const bool is_file = path.is_relative() && path.has_filename() && path == path.lexically_normal() &&
                         *path.begin() != ".." && path != "." && name.find("//") == std::string::npos;
    if (!is_file) {
        std::ranges::replace(name, '/', '_');
        std::ranges::replace(name, '.', '_');
    }
    return name.empty() ? "_" : name;
}

/// File names for these names: no two are the same, and none is a folder of another.
std::map<std::string, std::string> safe_names(const std::set<std::string>& names) {
    std::map<std::string, std::string> result;
    std::set<std::string> taken;
    for (const auto& name : names) {
        auto safe = safe_name(name);
        const auto clashes = [&] {
            return std::ranges::any_of(taken, [&](const std::string& each) {
                return each == safe || each.starts_with(safe + "/") || safe.starts_with(each + "/");
            });
        };
        if (clashes()) {
            std::ranges::replace(safe, '/', '_');
        }
        while (clashes()) {
            safe += '_';
        }
        taken.insert(safe);
        result[name] = safe;
    }
    return result;
}

/// File names for everything that has a file of its own.
struct Names {
    explicit Names(const History& history) {
        std::set<std::string> of_metrics;
        std::set<std::string> of_parameters;
        for (const auto& trial : history.sweep().trials()) {
            for (const auto& [name, value] : trial.config) {
                of_parameters.insert(name);
            }
            for (const auto& report : history.of(trial.id).reports) {
                for (const auto& [name, value] : report.metrics) {
                    of_metrics.insert(name);
                }
            }
        }
        metrics = safe_names(of_metrics);
        parameters = safe_names(of_parameters);
    }

    std::map<std::string, std::string> metrics;
    std::map<std::string, std::string> parameters;
};

std::string uri_of(const fs::path& path) {
    std::string uri = "file://";
    for (const char c : path.string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = (byte < 0x80 && std::isalnum(byte) != 0) || std::string_view("/-_.~").find(c) != npos;
        uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri;
}

/// `name`, or "name 2" and so on if the folder has an experiment of that name, such as from another sweep with the same
/// file. MLflow finds only one experiment per name, and its databases refuse a second one.
std::string free_name(const std::string& name, const fs::path& folder, const std::string& id) {
    std::set<std::string> taken;  // as written in YAML, with or without quotes
    for (const auto& experiment : paths_in(folder)) {
        std::ifstream meta(experiment / "meta.yaml");
        for (std::string line; experiment.filename() != id && std::getline(meta, line);) {
            if (line.starts_with("name: ")) {
                taken.insert(line.substr(6));
            }
        }
    }
    const auto is_taken = [&](const std::string& each) { return taken.contains(each) || taken.contains(quoted(each)); };
    auto result = name;
    for (int i = 2; is_taken(result); ++i) {
        result = fmt::format("{} {}", name, i);
    }
    return result;
}

std::string experiment_meta(const std::string& id, const std::string& name, const fs::path& folder, double date) {
    return fmt::format("artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\nlast_update_time: {}\n"
                       "lifecycle_stage: active\nname: {}\n",
                       quoted(uri_of(folder)), milliseconds(date), id, milliseconds(date), quoted(name));
}

/// Adds the files of a trial under `folder`, which ends in the run's id.
void add_run(const Trial& trial, const DatedSweep& dated, const Names& names, const std::string& experiment,
             const fs::path& folder, const fs::path& root, Files& files) {
    const auto& seen = dated.history().of(trial.id);
    const auto ended = dated.ended(trial.id);
    const auto name = fmt::format("trial {}", trial.id.value);
    const auto add = [&](const std::string& file, std::string text) {
        files.emplace_back((folder / file).string(), std::move(text));
    };
    add("meta.yaml",
        fmt::format("artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\n"
                    "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nsource_name: ''\nsource_type: 4\n"
                    "source_version: ''\nstart_time: {}\nstatus: {}\ntags: []\nuser_id: crescendo\n",
                    quoted(uri_of(root / folder / "artifacts")), ended ? std::to_string(milliseconds(*ended)) : "null",
                    experiment, folder.filename().string(), quoted(name),
                    milliseconds(dated.started(trial.id).value_or(dated.date(0))), static_cast<int>(status_of(trial))));
    for (const auto& [parameter, value] : trial.config) {
        add("params/" + names.parameters.at(parameter), to_string(value));
    }
    std::map<std::string, std::string> curves;
    for (const auto& report : seen.reports) {
        for (const auto& [metric, value] : report.metrics) {
            curves[metric] += fmt::format("{} {} {}\n", milliseconds(dated.date(report.time)), value,
                                          report.resource.value);
        }
    }
    for (auto& [metric, curve] : curves) {
        add("metrics/" + names.metrics.at(metric), std::move(curve));
    }
    for (const auto* needed : {"metrics/", "params/", "artifacts/"}) {
        add(needed, "");
    }
    add("tags/mlflow.runName", name);
    add("tags/mlflow.user", "crescendo");
    add("tags/crescendo.trial", std::to_string(trial.id.value));
    add("tags/crescendo.status", to_string(trial.status));
    if (trial.reason) {
        add("tags/crescendo.reason", stop_reasons.of(*trial.reason));
    }
    const auto repetition = repetition_json(dated.history().sweep(), trial.id);
    for (const auto& [key, value] : repetition.items()) {
        if (!value.is_null()) {  // if it has been judged
            add("tags/crescendo." + key, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    if (!seen.last_failure.empty()) {
        add("tags/crescendo.last_failure", seen.last_failure);
    }
}

}  // namespace

Exported mlflow_store(const ExportRequest& request) {
    const DatedSweep dated(request.sweep.history);
    const auto& name = request.sweep.file.name;
    const auto seed = seed_of(name, dated.date(0));
    // Stream 0, because the streams from 1 on belong to trials. The id has 18 digits without a leading 0, as MLflow's
    // own ids.
    constexpr std::uint64_t least = 100'000'000'000'000'000;
    const auto experiment = std::to_string(least + CounterRandom(seed, 0).below(9 * least - 1));
    const Names names(dated.history());
    const auto own_name = free_name(name, request.folder, experiment);
    Exported exported{{{experiment + "/meta.yaml",
                        experiment_meta(experiment, own_name, request.folder / experiment, dated.date(0))}}};
    if (own_name != name) {
        exported.remarks.push_back(
            fmt::format("the folder already has an experiment {}; this one is called {}", name, own_name));
    }
    for (const auto& trial : dated.history().sweep().trials()) {
        CounterRandom random(seed, static_cast<std::uint64_t>(trial.id.value) + 1);
        const auto high = random.next();
        const auto run = fmt::format("{:016x}{:016x}", high, random.next());
        add_run(trial, dated, names, experiment, fs::path(experiment) / run, request.folder, exported.files);
    }
    exported.remarks.push_back(
        fmt::format("newer versions of MLflow open such a folder only with "
                    "MLFLOW_ALLOW_FILE_STORE=true; `mlflow migrate-filestore --source {} "
                    "--target sqlite:///mlflow.db` converts it to a database",
                    shell_quoted(request.folder)));
    return exported;
}

}  // namespace crescendo::launch
