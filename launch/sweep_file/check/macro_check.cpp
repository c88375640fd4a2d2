#include "launch/sweep_file/check/macro_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/draws.hpp"
#include "launch/sweep_file/command/command_macros.hpp"

namespace crescendo::launch {
namespace {

/// Whether some trials have no parameter of the group, as far as conditions and a thousand draws tell. Where conditions
/// exclude each other, each trial may have one of them.
bool may_lack(const SweepFile& file, const std::string& group) {
    const auto& space = file.spec.space;
    const auto is_in_group = [&](const std::string& name) { return name.starts_with(group + "."); };
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
        if (is_in_group(space.parameters()[i].name) && !space.rules().may_be_absent(i)) {
            return false;
        }
    }
    constexpr int num_draws = 1000;
    for (int i = 0; i < num_draws; ++i) {
        auto random = draws(file.spec.seed, Purpose::configuration, TrialId{i});
        const auto config = space.with_values(space.draw_all(random));
        if (config && std::ranges::none_of(*config, is_in_group, &Config::value_type::first)) {
            return true;
        }
    }
    return false;
}

void check_group(const SweepFile& file, const std::string& group, Mistakes& mistakes) {
    const auto macro = fmt::format("${{{}}}", group);
    const auto names_it = [&](const std::string& word) { return word.find(macro) != std::string::npos; };
    if (std::ranges::none_of(*file.command, names_it) || !may_lack(file, group)) {
        return;
    }
    for (std::size_t i = 0; i < file.command->size(); ++i) {
        if (names_it((*file.command)[i])) {
            mistakes.add(fmt::format("command[{}]", i), absent_in_some_trials(macro));
        }
    }
}

}  // namespace

void check_macros_of_parameters(const SweepFile& file, Mistakes& mistakes) {
    for (const auto& group : file.groups) {
        check_group(file, group, mistakes);
    }
}

}  // namespace crescendo::launch
