#include "launch/sweep_file/sweep_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "launch/sweep_file/search/sampler_choice.hpp"
#include "scheduler/samplers/any_sampler.hpp"

namespace crescendo::launch {
namespace {

/// The sampler's type if it is not one of Crescendo's; else empty.
std::string class_of_plugin(const YamlSection& sampler) {
    auto type = sampler.string("type").value_or("");
    const auto& names = sampler_words();
    return std::ranges::find(names, type) == names.end() ? type : "";
}

void read_sampler_section(const YamlSection& sampler, const std::vector<UnsupportedWord>& unsupported,
                          SweepFile& result) {
    auto& type = result.spec.sampler;
    sampler.allow({"type", "command", "options", "ahead", "deadline"});
    const auto plugin = sampler.has("command") || result.plugins.empty() ? "" : class_of_plugin(sampler);
    if (!plugin.empty()) {
        result.sampler = read_sampler_command(sampler, plugin);
        type = "program";
        return;
    }
    if (!sampler.has("command")) {
        type = sampler.word("type", sampler_words(), unsupported).value_or(type);
        for (const char* key : {"options", "ahead", "deadline"}) {
            if (sampler.has(key)) {
                sampler.fail(key,
                             "is a key for a sampler of your own, but this one is Crescendo's; remove it, or name a "
                             "program: command: [python3, mine.py]");
            }
        }
        return;
    }
    if (sampler.word("type", sampler_words(), unsupported).value_or("program") != "program") {
        sampler.fail("type",
                     "selects one of Crescendo's samplers, but `command:` names a program; remove one of the two");
    }
    result.sampler = read_sampler_command(sampler);
    type = "program";
}

}  // namespace

void read_sampler(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    const std::string random = "to draw configurations at random, use random";
    const std::vector<UnsupportedWord> unsupported{{"custom", random},
                                                   {"bayesian", "use tpe or gp, or auto, which chooses"},
                                                   {"bohb", "use tpe, with a scheduler of type: hyperband"}};
    file.attempt([&] {
        auto words = sampler_words();
        words.emplace_back("bayes");
        spec.sampler = file.word("method", words, unsupported).value_or(spec.sampler);
    });
    const auto method = spec.sampler;
    file.attempt([&] {
        if (const auto sampler = file.section("sampler", "{type: random}")) {
            read_sampler_section(*sampler, unsupported, result);
            if (file.has("method") && spec.sampler != method) {
                result.remarks.push_back(
                    {"method",
                     fmt::format("is {}, but sampler: says {}, which takes precedence; remove one of the two", method,
                                 spec.sampler == "program" ? "a sampler of your own" : spec.sampler)});
            }
        }
    });
    if (spec.sampler == "program" && !result.sampler && !file.mistakes().lie_in("sampler")) {
        file.mistakes().add(file.has("sampler") ? "sampler.type" : "method",
                            "is program, but no program is named; write sampler: {command: [python3, mine.py]}");
    }
}

void settle_sampler(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    const auto word = spec.sampler;
    const bool is_type = file.has("sampler") && file.at("sampler").contains("type");
    const auto* key = is_type ? "sampler.type" : "method";
    if (leaves_sampler_open(word)) {
        auto [sampler, reason] = choose_sampler(word, spec, file.has("warm_start"));
        result.remarks.push_back({key, fmt::format("is {}, which means {} for a sweep {}; to keep it, write {}", word,
                                                   sampler, reason, sampler)});
        spec.sampler = std::move(sampler);
    } else if (auto doubt = doubt_about(word, spec); !doubt.empty()) {
        result.remarks.push_back({key, std::move(doubt)});
    }
}

std::vector<std::string> read_warm_start(const YamlSection& file, const std::string& sampler) {
    if (!file.has("warm_start")) {
        return {};
    }
    auto sources = file.at("warm_start").is_string() ? std::vector{file.string("warm_start").value()}
                                                     : file.strings("warm_start", "[results/first]").value();
    if (sources.empty()) {
        file.fail("warm_start",
                  "is an empty list; name sweeps or CSV files, as in warm_start: [results/first], or "
                  "remove it");
    }
    if (!learns(sampler)) {
        file.fail("warm_start", fmt::format("feeds results to the sampler, but {} cannot use them; use method: tpe, or "
                                            "remove it",
                                            sampler == "program" ? "a sampler of your own" : sampler));
    }
    return sources;
}

}  // namespace crescendo::launch
