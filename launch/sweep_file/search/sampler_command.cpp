#include "launch/sweep_file/search/sampler_command.hpp"

#include <fmt/format.h>

#include "launch/sweep_file/sections/stop_rule.hpp"

namespace crescendo::launch {
namespace {

/// A larger number is a typing error: a sampler that learns would propose all of these without a result.
constexpr int most_ahead = 1000;

std::vector<std::string> read_words(const YamlSection& sampler) {
    if (sampler.at("command").is_string()) {
        return {sampler.at("command").get<std::string>()};
    }
    return sampler.strings("command", "[python3, mine.py]", ListOf::words).value();
}

}  // namespace

SamplerCommand read_sampler_command(const YamlSection& sampler, const std::string& plugin) {
    SamplerCommand command;
    command.plugin = plugin;
    if (plugin.empty()) {
        command.words = read_words(sampler);
        if (command.words.empty() || command.words.front().empty()) {
            sampler.fail("command", "names no program; write the program and its arguments: [python3, mine.py]");
        }
    }
    command.options = read_options(sampler);
    command.ahead = static_cast<int>(sampler.integer("ahead").value_or(command.ahead));
    if (command.ahead < 0 || command.ahead > most_ahead) {
        sampler.fail("ahead", fmt::format("is {} (the number of proposals made before slots are free); use 0 to {}",
                                          sampler.at("ahead").dump(), most_ahead));
    }
    command.deadline = read_deadline(sampler).value_or(command.deadline);
    return command;
}

}  // namespace crescendo::launch
