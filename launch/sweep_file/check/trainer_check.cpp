#include "launch/sweep_file/check/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "core/draws.hpp"
#include "core/mapped.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/json/value_json.hpp"
#include "launch/process/child_process.hpp"
#include "launch/process/shell.hpp"

namespace crescendo::launch {
namespace {

/// Values that represent everything a parameter can be: its ends and a value between them, or each listed value.
struct Representatives {
    /// The smallest and the largest multiple of q, which may differ from `min` and `max`.
    static Json ends(const Distribution& d) {
        return Json::array({launch::to_json(value_at(d, 0)), launch::to_json(value_at(d, 1 - 0x1.0p-53))});
    }
    Json between(double min, double max) const { return {min, min + 0.618 * (max - min), max}; }

    Json operator()(const Uniform& d) const { return between(d.min, d.max); }
    Json operator()(const LogUniformValues& d) const { return between(d.min, d.max); }
    Json operator()(const IntUniform& d) const { return {d.min, d.max}; }
    Json operator()(const QUniform& d) const { return ends(d); }
    Json operator()(const QLogUniformValues& d) const { return ends(d); }
    /// Normal and similar distributions are unbounded. Values beyond these come once in a thousand trials.
    template <class Bell>
    Json operator()(const Bell& bell) const {
        return mapped(std::array{0.0005, 0.5, 0.9995},
                      [&](double coordinate) { return launch::to_json(value_at(bell, coordinate)); });
    }
    Json operator()(const Categorical& d) const {
        return mapped(d.values, [](const Value& each) { return launch::to_json(each); });
    }
    Json operator()(const Constant& d) const { return Json::array({launch::to_json(d.value)}); }
};

/// Adds values of derived parameters from some draws.
void add_derived(const SweepSpec& spec, Json& parameters) {
    constexpr int num_draws = 8;
    for (std::int32_t i = 0; i < num_draws; ++i) {
        const auto config = spec.space.sample(draws(spec.seed, Purpose::configuration, TrialId{i}));
        for (const auto& parameter : spec.space.parameters()) {
            const auto found =
                std::ranges::find_if(config, [&](const auto& entry) { return entry.first == parameter.name; });
            if (parameter.is_derived() && found != config.end()) {
                parameters[parameter.name].push_back(launch::to_json(found->second));
            }
        }
    }
}

/// Long, because Python's imports from a parallel file system may take minutes.
constexpr std::chrono::seconds time_to_check{300};
constexpr int usage_error_status = 2;  // exit status of argparse, and of many others

/// Whether `json` is a valid answer: {"problems": [{"key": …, "message": …}, …]}, optionally with "remarks" of the same
/// form.
bool is_answer(const Json& json) {
    const auto is_text = [](const Json& problem, const char* key) {
        return problem.contains(key) && problem.at(key).is_string();
    };
    const auto are_texts = [&](const Json& list) {
        return list.is_array() && std::ranges::all_of(list, [&](const Json& each) {
                   return each.is_object() && is_text(each, "key") && is_text(each, "message");
               });
    };
    return json.is_object() && json.contains("problems") && are_texts(json.at("problems")) &&
           are_texts(json.value("remarks", Json::array()));
}

}  // namespace

void ask_trainer(SweepFile& file, const std::vector<std::string>& command, const char* key, Mistakes& mistakes) {
    auto parameters = Json::object();
    for (const auto& parameter : file.spec.space.parameters()) {
        parameters[parameter.name] =
            parameter.is_derived() ? Json::array() : std::visit(Representatives{}, parameter.distribution);
    }
    add_derived(file.spec, parameters);
    Json question{{"settings", file.trainer.value_or(Json::object())}, {"parameters", parameters}};
    if (file.final_test) {
        question["final_test"] = true;
    }
    if (file.trainer && !mistakes.lie_in("metric")) {
        question["metric"] = file.spec.metric;  // omitted for programs, which cannot know what they will report
    }
    auto words = command;
    words.emplace_back("--check");
    // Hides the variables of launchers and ranks, because a user's trainer may call MPI as soon as it is loaded.
    const auto hides = [is_of_rank = variables_of_ranks()](std::string_view variable) {
        return is_of_launcher(variable) || is_of_rank(variable);
    };
    const auto checked = run_tool(
        words, {.hides = hides, .input = question.dump(), .patience = time_to_check, .errors = ToolErrors::shown});
    const auto last_line = checked.output.substr(checked.output.rfind('\n') + 1);  // after a script's other output
    const auto answer = Json::parse(last_line, nullptr, false);
    if (!is_answer(answer)) {
        const auto ending = checked.errors.empty() ? to_string(ExitStatus{checked.code, 0}) : checked.errors;
        const auto* advice =
            file.trainer ? ""
            : checked.code == usage_error_status
                ? "; a script that parses its own arguments does not know --check; let crescendo.torch.run(train, "
                  "parser) parse them, or leave out `grow: in_place` if the script only reports"
            : answer.is_object() ? R"(; an answer is {"problems": [{"key": "lr", "message": "must be positive"}]})"
            : checked.success()  ? "; a program that grows in place must be a warm trainer, such as a script that uses "
                                   "crescendo.torch (docs/your-own-program.md)"
            : std::ranges::find(words, "python3") != words.end()
                ? "; if it lacks a package, start crescendo in the script's environment: python3 is the first one on "
                  "PATH"
                : "";
        mistakes.add(key, fmt::format("`{}` gave no answer: {}{}{}", fmt::join(words, " "), ending,
                                      last_line.empty() ? "" : "; it printed: " + last_line.substr(0, 200), advice));
        return;
    }
    std::set<std::pair<std::string, std::string>> told;  // optimizers, say, may list the other settings differently
    for (const auto& problem : answer.at("problems")) {
        const auto place = problem.at("key").get<std::string>();
        const auto message = problem.at("message").get<std::string>();
        if (told.emplace(place, message.substr(0, message.find(';'))).second) {
            mistakes.add(place, message);
        }
    }
    for (const auto& remark : answer.value("remarks", Json::array())) {
        file.remarks.push_back({remark.at("key").get<std::string>(), remark.at("message").get<std::string>()});
    }
}

void check_trainer(SweepFile& file, const std::string& trainer, Mistakes& mistakes) {
    if (!is_executable(trainer)) {
        mistakes.add("trainer", fmt::format("needs crescendo-trainer, but {} is not a program; build all of Crescendo "
                                            "(`make build`), or use `command:`",
                                            trainer));
        return;
    }
    ask_trainer(file, {trainer}, "trainer", mistakes);
}

}  // namespace crescendo::launch
