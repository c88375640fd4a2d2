#include "launch/sweep_file/search/sweep_rules.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "core/spelling.hpp"
#include "scheduler/space/survey.hpp"

namespace crescendo::launch {
namespace {

/// Translates the key of a rule in the search space to its key in the file. A parameter inside another has a dotted
/// name in the search space, and is an entry of the other's `parameters` in the file.
std::string key_in_file(const std::string& key, const SourceMap& source) {
    constexpr std::string_view section = "parameters.";
    if (!key.starts_with(section)) {
        return key;
    }
    std::string found(section);
    auto rest = key.substr(section.size());
    for (auto dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.', dot + 1)) {
        if (const auto inner = found + rest.substr(0, dot) + ".parameters"; source.has(inner)) {
            found = inner + ".";
            rest = rest.substr(dot + 1);
            dot = 0;
        }
    }
    return found + rest;
}

/// Where the file has the condition of a parameter.
struct ConditionPlace {
    std::string key;       ///< its own `when`, else that of the nearest group that has one
    bool is_whole = true;  ///< false: several groups around it have conditions; the character is unknown
};

ConditionPlace find_condition(const std::string& key, const SourceMap& source) {
    constexpr std::string_view entry = ".when";
    constexpr std::string_view inner = ".parameters.";
    ConditionPlace place{key};
    if (!key.ends_with(entry)) {
        return place;
    }
    int count = 0;
    for (auto holder = key.substr(0, key.size() - entry.size());;) {
        if (const auto when = fmt::format("{}{}", holder, entry); source.has(when) && count++ == 0) {
            place.key = when;
        }
        const auto end = holder.rfind(inner);
        if (end == std::string::npos) {
            break;
        }
        holder.resize(end);
    }
    place.is_whole = count <= 1;
    return place;
}

std::vector<std::string> read_constraints(const YamlSection& file) {
    const auto constraints =
        file.strings("constraints", "[\"width * depth <= 4096\"]").value_or(std::vector<std::string>{});
    if (file.mistakes().lie_in("constraints")) {
        throw AlreadyTold{};
    }
    return constraints;
}

}  // namespace

std::string read_expression(const YamlSection& parameter, const std::string& name) {
    auto text = parameter.string(name).value();
    if (text.empty()) {
        parameter.fail(name, "is empty; write an expression, such as optimizer == 'sgd', or remove it");
    }
    return text;
}

SearchSpace make_space(const YamlSection& file, std::vector<Parameter> parameters, const SourceMap& source) {
    const auto constraints = read_constraints(file);
    if (file.mistakes().lie_in("parameters")) {
        throw AlreadyTold{};  // rules may name a parameter that was left out because of a mistake
    }
    std::vector<ExpressionError> problems;
    const Rules rules(parameters, constraints, problems);
    if (!problems.empty()) {
        add_mistakes(problems, names_of(parameters), source, file.mistakes());
        throw AlreadyTold{};
    }
    return SearchSpace(std::move(parameters), constraints);
}

void add_mistakes(const std::vector<ExpressionError>& problems, const std::vector<std::string>& names,
                  const SourceMap& source, Mistakes& mistakes) {
    std::set<std::string> told;  // all parameters of a group share its condition, and its mistakes
    for (const auto& problem : problems) {
        const auto [key, is_whole] = find_condition(key_in_file(problem.key(), source), source);
        if (!told.insert(fmt::format("{}: {}", key, problem.what())).second) {
            continue;
        }
        const auto advice = problem.unknown_name().empty() ? "" : did_you_mean(problem.unknown_name(), names);
        if (!is_whole) {
            mistakes.add(
                key, fmt::format("together with the conditions of the groups around it: {}{}", problem.what(), advice));
            continue;
        }
        const auto place = source.has_text(key) || problem.offset() == 0
                               ? ""
                               : fmt::format("at character {}: ", problem.offset() + 1);
        mistakes.add(key, fmt::format("{}{}{}", place, problem.what(), advice), problem.offset());
    }
}

void try_rules(const SearchSpace& space, std::uint64_t seed, const SourceMap& source, Mistakes& mistakes) {
    if (!space.rules().empty()) {
        add_mistakes(problems_of(survey(space, seed), space), {}, source, mistakes);
    }
}

std::vector<std::string> warnings_of_rules(const SearchSpace& space, std::uint64_t seed, const SourceMap& source) {
    if (space.rules().empty()) {
        return {};
    }
    std::vector<std::string> warnings;
    const auto found = survey(space, seed);
    for (std::size_t i = 0; i < found.present.size(); ++i) {
        if (found.present[i] == 0) {
            const auto own = key_in_file(fmt::format("parameters.{}.when", space.parameters()[i].name), source);
            const auto key = find_condition(own, source).key;
            warnings.push_back(source.located(
                key, fmt::format("the parameter is absent from all {} draws; can its condition ever hold?",
                                 found.num_draws)));
        }
    }
    return warnings;
}

}  // namespace crescendo::launch
