#include "launch/sweep_file/sampler_command.hpp"

#include <fmt/format.h>

#include "core/duration.hpp"

namespace crescendo::launch {
namespace {

/// More are a slip of the pen: a program that learns would propose all of them without a result.
constexpr int most_ahead = 1000;

}  // namespace

SamplerCommand read_sampler_command(const YamlSection& sampler) {
    SamplerCommand command;
    if (sampler.at("command").is_string()) {
        command.words = {sampler.at("command").get<std::string>()};
    } else {
        command.words = sampler.strings("command").value();
    }
    if (command.words.empty() || command.words.front().empty()) {
        sampler.fail("command", "names no program; write the program and its arguments: [python3, mine.py]");
    }
    command.ahead = static_cast<int>(sampler.integer("ahead").value_or(command.ahead));
    if (command.ahead < 0 || command.ahead > most_ahead) {
        sampler.fail("ahead", fmt::format("is {} (proposals that are made before slots are free for them); use 0 to {}",
                                          sampler.at("ahead").dump(), most_ahead));
    }
    if (sampler.has("deadline")) {
        const auto& value = sampler.at("deadline");
        const auto time = value.is_string() ? parse_duration(value.get<std::string>()) : std::nullopt;
        if (!time || time->count() == 0) {
            sampler.fail("deadline",
                         fmt::format("{} is no time to wait for an answer; write it like 60s, 5m or 1h", value.dump()));
        }
        command.deadline = *time;
    }
    return command;
}

}  // namespace crescendo::launch
