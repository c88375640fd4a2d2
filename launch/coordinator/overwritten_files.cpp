#include "launch/coordinator/overwritten_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

constexpr int most_looks = 100;       // a script that overwrites files does so from the first trials
constexpr int most_entries = 10'000;  // over all folders; entries beyond it are ignored

constexpr std::array suffixes_of_models{".bin",  ".ckpt",   ".h5",  ".joblib", ".keras", ".msgpack", ".npz",
                                        ".onnx", ".pickle", ".pkl", ".pt",     ".pth",   ".ubj",     ".safetensors"};

/// The models in a folder and up to `depth` levels down. Skips what cannot be read.
std::vector<fs::path> models_in(const fs::path& folder, const fs::path& left_out, int depth, int& entries_left) {
    std::vector<fs::path> found;
    std::error_code unreadable;
    for (fs::directory_iterator entry(folder, unreadable), end; entry != end && --entries_left > 0;
         entry.increment(unreadable)) {
        if (entry->is_directory(unreadable) && !entry->is_symlink(unreadable)) {
            if (depth > 0 && entry->path() != left_out) {
                std::ranges::move(models_in(entry->path(), left_out, depth - 1, entries_left),
                                  std::back_inserter(found));
            }
        } else if (std::ranges::find(suffixes_of_models, entry->path().extension()) != suffixes_of_models.end()) {
            found.push_back(entry->path());
        }
    }
    return found;
}

}  // namespace

OverwrittenFiles::OverwrittenFiles(fs::path folder, const fs::path& sweep)
    : folder_(std::move(folder)), sweep_((sweep / "").lexically_normal().parent_path()), looks_left_(most_looks) {
    look({});
}

std::optional<std::string> OverwrittenFiles::note_end(TrialId ended, std::set<TrialId> running) {
    if (looks_left_ == 0) {
        return {};
    }
    --looks_left_;
    auto writers = std::exchange(ran_, running);
    writers.merge(running);
    writers.insert(ended);
    const auto file = look(writers);
    if (!file) {
        return {};
    }
    looks_left_ = 0;
    const auto name = file->lexically_relative(folder_).string();
    return fmt::format(
        "trials overwrite each other's {}, so only the last one's is left; give each trial its own file in "
        "${{trial_dir}}, with an option in the command, such as \"--output=${{trial_dir}}\", or in Python with "
        "trial.directory",
        name);
}

std::optional<fs::path> OverwrittenFiles::look(const std::set<TrialId>& writers) {
    std::optional<fs::path> overwritten;
    const bool is_first = writers.empty();
    int entries_left = most_entries;
    for (const auto& path : models_in(folder_, sweep_, /*depth=*/2, entries_left)) {
        std::error_code is_gone;
        const auto written = fs::last_write_time(path, is_gone);
        if (is_gone) {
            continue;
        }
        auto [file, is_new] = files_.try_emplace(path, File{written, {}});
        if (is_first || (!is_new && file->second.written == written)) {
            continue;
        }
        file->second.written = written;
        if (!file->second.writers) {
            file->second.writers = writers;
            continue;
        }
        std::erase_if(*file->second.writers, [&](TrialId trial) { return !writers.contains(trial); });
        if (file->second.writers->empty() && !overwritten) {
            overwritten = path;
        }
    }
    return overwritten;
}

}  // namespace crescendo::launch
