#include "launch/export/export_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "core/check.hpp"
#include "core/files/output_file.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {

namespace fs = std::filesystem;

namespace {

/// Formats that only their own libraries can write, and why.
constexpr std::pair<const char*, const char*> written_in_python[]{
    {"parquet", "Parquet needs Apache Arrow, which Debian 12 does not package"},
    {"wandb", "W&B's offline runs have no published format, so only its own library writes them"},
};

}  // namespace

const std::vector<ExportFormat>& export_formats() {
    static const std::vector<ExportFormat> formats{{"csv", csv_tables},
                                                   {"json", json_tables},
                                                   {"optuna", optuna_study, Follow::no},
                                                   {"tensorboard", tensorboard_logs},
                                                   {"mlflow", mlflow_store},
                                                   {"dawnbench", dawnbench_entry, Follow::no}};
    return formats;
}

std::string names_of_formats() {
    return fmt::format("{}", fmt::join(export_formats() | std::views::transform(&ExportFormat::name), ", "));
}

const ExportFormat& export_format(const std::string& name) {
    const auto& formats = export_formats();
    const auto found = std::ranges::find(formats, name, &ExportFormat::name);
    if (found != formats.end()) {
        return *found;
    }
    for (const auto& [missing, instead] : written_in_python) {
        CRESCENDO_VALIDATE(name != missing, "--to",
                           "{}; docs/exports.md#{} shows the few lines of Python that write it", instead, missing);
    }
    throw InvalidInput(fmt::format("there is no format '{}'; use one of {}", name, names_of_formats()), "--to");
}

void add_to_folder(const fs::path& folder, const Files& files, Existing existing) {
    CRESCENDO_VALIDATE(!fs::exists(folder) || fs::is_directory(folder), "",
                       "{}: is a file, but an export is a folder of files; name another folder", folder.string());
    std::vector<bool> is_same;
    for (const auto& [name, content] : files) {
        const auto path = folder / name;
        const bool is_there = fs::exists(fs::symlink_status(path));
        const bool is_file = path.has_filename() && fs::is_regular_file(path);
        is_same.push_back(path.has_filename() ? is_file && read_file(path) == content : fs::is_directory(path));
        CRESCENDO_VALIDATE(!is_there || is_same.back() || (is_file && existing == Existing::replace), "",
                           "{}: already exists with other content; remove it, or name another folder", path.string());
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto path = folder / files[i].first;
        if (is_same[i]) {
            continue;
        }
        fs::create_directories(path.parent_path());
        if (path.has_filename()) {
            write_output(path, files[i].second);
        }
    }
}

}  // namespace crescendo::launch
