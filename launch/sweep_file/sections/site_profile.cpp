#include "launch/sweep_file/sections/site_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/check.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/batch/job_time.hpp"
#include "launch/files/read_file.hpp"
#include "launch/yaml/yaml_document.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

void check_one_line(const YamlSection& profile, const std::string& name, const std::string& text) {
    if (text.find_first_of("\n\r") != std::string::npos) {
        profile.fail(name, "contains a line feed, but becomes one line of the job script; write it on one line");
    }
}

std::optional<std::string> line(const YamlSection& profile, const std::string& name) {
    const auto text = profile.string(name);
    if (text) {
        check_one_line(profile, name, *text);
    }
    return text;
}

std::optional<std::chrono::seconds> time(const YamlSection& profile, const std::string& name) {
    if (!profile.has(name)) {
        return {};
    }
    const auto& value = profile.at(name);
    const auto result = parse_job_time(value.is_string() ? value.get<std::string>() : value.dump());
    if (!result || result->count() == 0) {
        profile.fail(name, fmt::format("{} is not a duration; write it like 8h, 90m, 45s or 08:00:00; a bare number "
                                       "is minutes, as for sbatch",
                                       value.dump()));
    }
    return result;
}

bool is_variable_name(const std::string& name) {
    const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), is_word);
}

std::vector<std::pair<std::string, std::string>> read_environment(const YamlSection& profile) {
    std::vector<std::pair<std::string, std::string>> result;
    if (const auto environment = profile.section("environment", "{GLOO_SOCKET_IFNAME: ib0}")) {
        for (const auto& [name, value] : environment->map().items()) {
            if (!is_variable_name(name)) {
                environment->fail(name, "cannot be a variable name; use letters, digits and '_'");
            }
            result.emplace_back(name, environment->string(name).value());
        }
    }
    return result;
}

SiteProfile read_profile(const YamlSection& profile) {
    const auto more = batch_system()->submit_command();  // "sbatch"
    profile.allow({"launcher", "modules", "setup", "environment", "interface", "lead", "nodes", "time", "partition",
                   "account", "gpus_per_node", "cpus_per_task", "slots_per_gpu", "on_finish", "on_failure", more});
    SiteProfile site;
    site.launcher = line(profile, "launcher").value_or(site.launcher);
    site.modules = profile.strings("modules", "[gcc/12, openmpi/4.1]").value_or(site.modules);
    site.setup = profile.strings("setup", "[. ~/venv/bin/activate]").value_or(site.setup);
    site.environment = read_environment(profile);
    site.interface = line(profile, "interface").value_or("");
    site.lead = time(profile, "lead").value_or(site.lead);
    auto& defaults = site.defaults;
    defaults.nodes = profile.integer_from(1, "nodes");
    defaults.time = time(profile, "time");
    defaults.partition = line(profile, "partition");
    defaults.account = line(profile, "account");
    defaults.gpus_per_node = profile.integer_from(1, "gpus_per_node");
    defaults.cpus_per_task = profile.integer_from(1, "cpus_per_task");
    defaults.slots_per_gpu = profile.integer_from(1, "slots_per_gpu");
    defaults.more = profile.strings(more, "[--constraint=a100]").value_or(defaults.more);
    for (const auto& option : defaults.more) {
        check_one_line(profile, more, option);
    }
    return site;
}

}  // namespace

SiteProfile parse_site_profile(const std::string& text, const fs::path& file) {
    Mistakes mistakes;
    const auto document = parse_yaml(text, file.string(), mistakes);
    const YamlSection profile(document.root, "", mistakes);
    SiteProfile site;
    mistakes.attempt([&] { site = read_profile(profile); });
    read_hooks(profile);
    mistakes.throw_if_any(document.source);
    return site;
}

Hooks hooks_of_site() {
    const auto path = find_site_profile();
    if (!path) {
        return {};
    }
    Mistakes mistakes;
    const auto document = parse_yaml(read_file(*path), path->string(), mistakes);
    auto hooks = read_hooks(YamlSection(document.root, "", mistakes));
    mistakes.throw_if_any(document.source);
    return hooks;
}

SiteProfile read_site_profile(const fs::path& path) { return parse_site_profile(read_file(path), path); }

std::optional<fs::path> find_site_profile() {
    if (const char* named = std::getenv(site_variable); named != nullptr && *named != '\0') {
        return fs::path(named);
    }
    std::vector<fs::path> places{"/etc/crescendo/site.yaml"};
    if (const char* home = std::getenv("HOME")) {
        places.insert(places.begin(), fs::path(home) / ".config/crescendo/site.yaml");
    }
    for (const auto& place : places) {
        if (std::error_code unreadable; fs::exists(place, unreadable)) {
            return place;
        }
    }
    return {};
}

}  // namespace crescendo::launch
