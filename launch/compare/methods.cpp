#include "launch/compare/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// The keys without the seed, and without those that do not affect how a sweep decides and trains.
FlatKeys without_description(FlatKeys keys) {
    std::erase_if(keys, [](const auto& entry) {
        return entry.first == "seed" || entry.first == "name" || only_describes(entry.first);
    });
    return keys;
}

/// The value of a key as in the file, without the quotes of a text; "" if there is none.
std::string value_of(const FlatKeys& keys, const std::string& key) {
    const auto found = keys.find(key);
    if (found == keys.end()) {
        return "";
    }
    const auto& text = found->second;
    return text.starts_with('"') ? Json::parse(text).get<std::string>() : text;
}

/// The values of a key, if no two groups share one; else empty.
std::vector<std::string> distinct_values(const std::vector<FlatKeys>& groups, const std::string& key) {
    const auto values = mapped(groups, [&](const FlatKeys& keys) { return value_of(keys, key); });
    const std::set<std::string> distinct(values.begin(), values.end());
    return distinct.size() == values.size() && !distinct.contains("") ? values : std::vector<std::string>();
}

void require_one_metric(const std::vector<Method>& methods) {
    const auto& first = methods.front().runs.front().file;
    const auto require_same = [&](const SweepFile& file, const char* key, const std::string& here,
                                  const std::string& there) {
        if (here != there) {
            file.source.fail(
                key, fmt::format("is {} here but {} at {}:{}; compare sweeps with the same metric and goal", here,
                                 there, first.source.file(), first.source.position_of(key).line));
        }
    };
    const auto goal_of = [](const SweepFile& file) { return goals.of(file.spec.goal); };
    for (const auto& method : methods) {
        for (const auto& run : method.runs) {
            require_same(run.file, "metric.name", run.file.spec.metric, first.spec.metric);
            require_same(run.file, "metric.goal", goal_of(run.file), goal_of(first));
        }
    }
}

std::vector<Method> grouped_by_seed(std::vector<Method> methods) {
    std::vector<FlatKeys> groups;
    std::vector<Method> grouped;
    for (auto& method : methods) {
        for (auto& run : method.runs) {
            const auto keys = without_description(run.keys);
            const auto found = std::ranges::find(groups, keys);
            if (found == groups.end()) {
                groups.push_back(keys);
                grouped.emplace_back().runs.push_back(std::move(run));
            } else {
                grouped[static_cast<std::size_t>(found - groups.begin())].runs.push_back(std::move(run));
            }
        }
    }
    const auto names = names_of_groups(groups);
    for (std::size_t i = 0; i < grouped.size(); ++i) {
        grouped[i].name = names[i];
    }
    return grouped;
}

/// The path as the user wrote it, without slashes at the end.
std::string name_of(const fs::path& directory) {
    auto name = directory.string();
    name.erase(name.find_last_not_of('/') + 1);
    return name.empty() ? "/" : name;
}

}  // namespace

std::vector<std::string> names_of_groups(const std::vector<FlatKeys>& groups) {
    if (auto types = distinct_values(groups, "scheduler.type"); !types.empty()) {
        return types;
    }
    std::set<std::string> all;
    for (const auto& keys : groups) {
        for (const auto& [key, value] : keys) {
            all.insert(key);
        }
    }
    std::erase_if(all, [&](const std::string& key) {
        const auto value = [&](const FlatKeys& keys) { return value_of(keys, key); };
        return std::ranges::count(groups, value(groups.front()), value) == std::ssize(groups);
    });
    const auto last_part = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
    std::vector<std::string> names(groups.size());
    for (const auto& key : all) {
        const auto part = last_part(key);
        const bool is_unique = std::ranges::count(all, part, last_part) == 1;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (const auto value = value_of(groups[i], key); !value.empty()) {
                names[i] += fmt::format("{}{}={}", names[i].empty() ? "" : " ", is_unique ? part : key, value);
            }
        }
    }
    std::ranges::replace(names, "", "otherwise");
    return names;
}

std::vector<Method> read_methods(const std::vector<fs::path>& directories, Grouping grouping, ClockOf clock,
                                 const ReadProgress& progress) {
    std::vector<std::vector<fs::path>> sweeps;
    std::set<fs::path> seen;
    std::int64_t total = 0;
    for (const auto& directory : directories) {
        for (const auto& sweep : sweeps.emplace_back(sweeps_in(directory))) {
            CRESCENDO_VALIDATE(seen.insert(fs::weakly_canonical(sweep)).second, "",
                               "{}: the sweep is named twice, and would count twice; name it once", sweep.string());
            std::error_code ignored;
            total += static_cast<std::int64_t>(fs::file_size(SweepDirectory(sweep).journal(), ignored));
        }
    }
    std::int64_t done = 0;
    std::vector<Method> methods;
    for (std::size_t i = 0; i < directories.size(); ++i) {
        auto& method = methods.emplace_back(Method{name_of(directories[i]), {}});
        for (const auto& sweep : sweeps[i]) {
            method.runs.push_back(read_sweep_run(sweep, clock, [&](std::size_t num_bytes) {
                done = std::min(done + static_cast<std::int64_t>(num_bytes), total - 1);
                progress(done, total);
            }));
        }
    }
    progress(total, total);
    require_one_metric(methods);
    return grouping == Grouping::seed ? grouped_by_seed(std::move(methods)) : methods;
}

}  // namespace crescendo::launch
