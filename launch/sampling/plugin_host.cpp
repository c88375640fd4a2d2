#include "launch/sampling/plugin_host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launch/process/program_paths.hpp"

namespace crescendo::launch {
namespace {

const std::string& class_at(const SweepFile& file, PluginPlace place) {
    return place == PluginPlace::sampler ? file.sampler->plugin : file.stop_rule->type;
}

}  // namespace

std::vector<std::string> plugin_command(const SweepFile& file, PluginPlace place) {
    std::vector<std::string> command{ProgramPaths::find().plugin_host,
                                     place == PluginPlace::sampler ? "sampler" : "stop_rule", class_at(file, place)};
    command.insert(command.end(), file.plugins.begin(), file.plugins.end());
    return command;
}

std::string plugin_name(const SweepFile& file, PluginPlace place) {
    const bool is_sampler = place == PluginPlace::sampler;
    const auto* const key = is_sampler                            ? "sampler.type"
                            : file.source.has("stop_rule.type") ? "stop_rule.type"
                                                                : "stop_rule";
    return file.source.located(key, fmt::format("the {} `{}` of {}", is_sampler ? "sampler" : "stop rule",
                                                class_at(file, place), fmt::join(file.plugins, ", ")));
}

}  // namespace crescendo::launch
