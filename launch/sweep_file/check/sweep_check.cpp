#include "launch/sweep_file/check/sweep_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/messages/value_json.hpp"
#include "launch/sweep_file/check/plugin_check.hpp"
#include "launch/sweep_file/command/command_macros.hpp"
#include "launch/sweep_file/search/sweep_rules.hpp"
#include "launch/sweep_file/wandb_script.hpp"
#include "launch/system/child_process.hpp"
#include "launch/system/read_file.hpp"
#include "launch/system/shell.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// Values that stand for all a parameter can take: its ends and one between, or each it lists.
struct Representatives {
    /// The least and the greatest multiple of q, which `min` and `max` need not be.
    static Json ends(const Distribution& d) {
        return Json::array({launch::to_json(value_at(d, 0)), launch::to_json(value_at(d, 1 - 0x1.0p-53))});
    }
    Json between(double min, double max) const { return {min, min + 0.618 * (max - min), max}; }

    Json operator()(const Uniform& d) const { return between(d.min, d.max); }
    Json operator()(const LogUniformValues& d) const { return between(d.min, d.max); }
    Json operator()(const IntUniform& d) const { return {d.min, d.max}; }
    Json operator()(const QUniform& d) const { return ends(d); }
    Json operator()(const QLogUniformValues& d) const { return ends(d); }
    /// Bells have no ends: what lies beyond these comes once in a thousand trials.
    template <class Bell>
    Json operator()(const Bell& bell) const {
        auto list = Json::array();
        for (const double coordinate : {0.0005, 0.5, 0.9995}) {
            list.push_back(launch::to_json(value_at(bell, coordinate)));
        }
        return list;
    }
    Json operator()(const Categorical& d) const {
        auto list = Json::array();
        for (const auto& value : d.values) {
            list.push_back(launch::to_json(value));
        }
        return list;
    }
    Json operator()(const Constant& d) const { return Json::array({launch::to_json(d.value)}); }
};

/// Adds the values that derived parameters have in some draws.
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

/// Python's imports from a parallel file system may take minutes.
constexpr std::chrono::seconds time_to_check{300};
constexpr int usage_error_status = 2;  // of argparse, and of many others

/// {"problems": [{"key": …, "message": …}, …]}, and maybe "remarks" that look alike.
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

/// What a trainer finds wrong with its settings, and what it remarks on. `key` is what in the file names the trainer.
void ask_trainer(SweepFile& file, const std::vector<std::string>& command, const char* key, Mistakes& mistakes) {
    auto parameters = Json::object();
    for (const auto& parameter : file.spec.space.parameters()) {
        parameters[parameter.name] = parameter.is_derived() ? Json::array()
                                                            : std::visit(Representatives{}, parameter.distribution);
    }
    add_derived(file.spec, parameters);
    Json question{{"settings", file.trainer.value_or(Json::object())}, {"parameters", parameters}};
    if (file.final_test) {
        question["final_test"] = true;
    }
    if (file.trainer && !mistakes.lie_in("metric")) {
        question["metric"] = file.spec.metric;  // programs cannot know what they will report
    }
    auto words = command;
    words.emplace_back("--check");
    // A user's trainer may call MPI as soon as it is loaded.
    const auto hides = [is_of_rank = variables_of_ranks()](std::string_view variable) {
        return is_of_launcher(variable) || is_of_rank(variable);
    };
    const auto checked = run_tool(
        words, {.hides = hides, .input = question.dump(), .patience = time_to_check, .errors = ToolErrors::shown});
    const auto last_line = checked.output.substr(checked.output.rfind('\n') + 1);  // scripts print this and that before
    const auto answer = Json::parse(last_line, nullptr, false);
    if (!is_answer(answer)) {
        const auto ending = checked.errors.empty() ? to_string(ExitStatus{checked.code, 0}) : checked.errors;
        const auto* advice = file.trainer ? ""
                             : checked.code == usage_error_status
                                 ? "; a script that reads its arguments itself does not know this one: leave that to "
                                   "crescendo.torch.run(train, parser)"
                             : answer.is_object()
                                 ? R"(; an answer is {"problems": [{"key": "lr", "message": "must be positive"}]})"
                                 : "; a program that grows in place is a warm trainer, such as a script with "
                                   "crescendo.torch (docs/your-own-program.md)";
        mistakes.add(key, fmt::format("`{}` gave no answer: {}{}{}", fmt::join(words, " "), ending,
                                      last_line.empty() ? "" : "; it printed: " + last_line.substr(0, 200), advice));
        return;
    }
    std::set<std::pair<std::string, std::string>> told;  // each optimizer, say, lists the other settings differently
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
        mistakes.add("trainer", fmt::format("needs crescendo-trainer, and {} is no program; build all of Crescendo "
                                            "(`make build`), or use `command:`",
                                            trainer));
        return;
    }
    ask_trainer(file, {trainer}, "trainer", mistakes);
}

/// Programs that run the script which their first word without a dash names.
bool is_interpreter(const std::string& program) {
    auto name = fs::path(program).filename().string();
    name.erase(name.find_last_not_of("0123456789.") + 1);  // python3.11
    constexpr std::array known{"python",  "bash",  "sh",   "dash", "zsh", "ksh",
                               "Rscript", "julia", "perl", "ruby", "node"};
    return std::ranges::find(known, name) != known.end();
}

bool looks_like_a_script(const std::string& word) {
    const auto extension = fs::path(word).extension().string();
    constexpr std::array known{".py", ".sh", ".bash", ".R", ".r", ".jl", ".pl", ".rb", ".js"};
    return word.find('/') != std::string::npos || std::ranges::find(known, extension) != known.end();
}

/// Index of the word of `command` that is the program, which may stand behind `env -u A B=1`.
std::size_t find_program(const std::vector<std::string>& command) {
    if (fs::path(command[0]).filename() != "env") {
        return 0;
    }
    constexpr std::array with_value{"-u", "--unset", "-C", "--chdir"};
    std::size_t i = 1;
    while (i + 1 < command.size() && (command[i].starts_with('-') || command[i].find('=') != std::string::npos)) {
        if (command[i] == "-S") {
            return 0;  // env itself splits the rest into words
        }
        i += std::ranges::find(with_value, command[i]) == with_value.end() ? 1 : 2;
    }
    return i < command.size() ? i : 0;
}

/// Index of the word of `command` that is the script which its interpreter runs, if it seems to be one.
std::optional<std::size_t> find_script(const std::vector<std::string>& command) {
    auto i = find_program(command);
    if (!is_interpreter(command[i])) {
        return {};
    }
    for (++i; i < command.size() && command[i].starts_with('-'); ++i) {
        if (command[i] == "-m" || command[i] == "-c") {
            return {};  // a module, or the program itself
        }
    }
    return i < command.size() && looks_like_a_script(command[i]) ? std::optional(i) : std::nullopt;
}

/// The file of a module that an interpreter runs by -m, as seen from the present folder; empty if it is none of here.
std::string file_of_module(const std::vector<std::string>& command) {
    const auto option = std::ranges::find(command, "-m");
    if (option == command.end() || std::next(option) == command.end() || *std::next(option) == wandb_adapter) {
        return {};
    }
    auto path = *std::next(option);
    std::ranges::replace(path, '.', '/');
    return path + ".py";
}

/// What is wrong with the interpreter that the first line of a program asks for; empty if nothing is. The system would
/// say of the program itself that it is not there.
std::string no_interpreter(const std::string& program) {
    std::ifstream stream(program);
    std::string line(256, '\0');  // as much as the system reads
    stream.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<std::size_t>(stream.gcount()));
    line.resize(std::min(line.find('\n'), line.size()));
    if (!line.starts_with("#!")) {
        return {};
    }
    if (line.ends_with('\r')) {
        return fmt::format("the lines of '{}' end as those of Windows do, so that no interpreter is found; "
                           "`sed -i 's/\\r$//' {}`",
                           program, shell_quoted(program));
    }
    const auto begin = line.find_first_not_of(" \t", 2);
    const auto interpreter =
        begin == std::string::npos ? "" : line.substr(begin, line.find_first_of(" \t", begin) - begin);
    if (interpreter.empty() || is_program(interpreter)) {
        return {};
    }
    return fmt::format("the first line of '{}' asks for '{}', and there is no such program; correct that line, or write "
                       "an interpreter before the file",
                       program, interpreter);
}

/// What was meant by a path at which there is nothing, as a word of `key`; empty if nothing tells.
std::string hint_about_path(const std::string& path, const std::string& key, const SweepFile& file) {
    if (path.find("${") != std::string::npos) {
        return {};
    }
    const bool is_command = key == "command";  // only there, macros are replaced
    if (path.starts_with("~/") || path.starts_with('$')) {
        const auto rest = path.find('/');
        const auto variable = path.starts_with('~') ? "HOME" : path.substr(1, rest == path.npos ? rest : rest - 1);
        const auto written = path.starts_with('~') ? "~" : "$" + variable;
        const auto remedy = fmt::format("in a command write \"${{envvar:{}}}{}\"", variable,
                                        rest == path.npos ? "" : path.substr(rest));
        return fmt::format("no shell reads it, and nothing else replaces {}: {}", written,
                           is_command ? remedy : "write the whole path");
    }
    const auto folder = fs::path(file.source.file()).parent_path();
    if (!folder.empty() && fs::path(path).is_relative() && is_there(folder / path)) {
        return fmt::format(
            "it lies beside the sweep file, and programs run in the folder where crescendo is called: "
            "write {}, or call crescendo in {}",
            (folder / path).lexically_normal().string(), folder.string());
    }
    std::istringstream stream(path);
    const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    if (words.size() > 1 && (is_program(words[0]) || is_there(words[0]))) {
        const bool becomes_command = is_command || key == "program";
        const auto* const interpreter = words[0].ends_with(".py")   ? "python3, "
                                        : words[0].ends_with(".sh") ? "bash, "
                                                                    : "";
        return fmt::format("each word is an item of its own, as in {}: [{}{}{}]", becomes_command ? "command" : key,
                           interpreter, fmt::join(words, ", "), becomes_command ? ", \"${args}\"" : "");
    }
    return {};
}

/// Why `word` cannot be executed; empty if it can.
std::string no_program(const std::string& word, const std::string& key, const SweepFile& file) {
    std::error_code unreadable;
    const bool is_path = word.find('/') != std::string::npos;
    if (is_program(word)) {
        return is_path ? no_interpreter(word) : "";
    }
    if (is_path && fs::is_regular_file(word, unreadable)) {
        return fmt::format("'{}' is a file that may not be executed; `chmod +x {}`, or write its interpreter before it",
                           word, word);
    }
    const auto hint = hint_about_path(word, key, file);
    return fmt::format("there is no program '{}'; {}", word,
                       hint.empty() ? "give its path, or a name that PATH finds" : hint);
}

std::string no_file(const std::string& path, const std::string& key, const SweepFile& file) {
    constexpr auto usual = "programs run in the folder where crescendo is called: give the path as seen from there";
    const auto hint = hint_about_path(path, key, file);
    return fmt::format("there is no file '{}'; {}", path, hint.empty() ? usual : hint);
}

/// The words of the command, each a single one, as far as they are the same for all trials; the others are empty.
std::vector<std::string> fixed_words(const SweepFile& file) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < file.command->size(); ++i) {
        try {
            const auto expanded = expand_word((*file.command)[i], i, {file.program, {}});
            words.push_back(expanded.size() == 1 ? expanded.front() : "");
        } catch (const InvalidInput&) {
            words.emplace_back();  // holds a parameter
        }
    }
    return words;
}

/// Index of the word that is a launcher of processes, which hands on no descriptor.
std::optional<std::size_t> find_launcher(const std::vector<std::string>& words) {
    const auto found = std::ranges::find_if(words, [](const std::string& word) {
        const auto name = fs::path(word).filename();
        return name == "torchrun" || name == "accelerate" || name == "deepspeed";
    });
    return found == words.end() ? std::nullopt : std::optional<std::size_t>(found - words.begin());
}

/// The words that name a program are found. `key` is that of the list of words.
void check_programs(const std::vector<std::string>& words, const char* key, const SweepFile& file, Mistakes& mistakes) {
    for (const auto i : std::set<std::size_t>{0, find_program(words)}) {
        if (const auto problem = words[i].empty() ? "" : no_program(words[i], key, file); !problem.empty()) {
            mistakes.add(fmt::format("{}[{}]", key, i), problem);
        }
    }
}

void check_sampler(const SweepFile& file, Mistakes& mistakes) {
    constexpr const char* key = "sampler.command";
    const auto& words = file.sampler->words;
    check_programs(words, key, file, mistakes);
    const auto script = find_script(words);
    if (script && !is_there(words[*script])) {
        mistakes.add(fmt::format("{}[{}]", key, *script), no_file(words[*script], key, file));
    }
}

void check_macros(const SweepFile& file, Mistakes& mistakes) {
    for (const auto& [key, problem] : unset_variables(*file.command)) {
        mistakes.add(key, problem);
    }
    const auto words = fixed_words(file);
    check_programs(words, "command", file, mistakes);
    const auto& command = *file.command;
    const auto program = std::ranges::find(command, "${program}");
    const bool is_module = program != command.begin() && program != command.end() && *std::prev(program) == "-m";
    if (program != command.begin() && program != command.end() && !is_module && !is_there(file.program)) {
        mistakes.add("program", no_file(file.program, "program", file));
    }
    const auto script = find_script(words);
    if (script && command[*script] != "${program}" && !is_there(words[*script])) {
        mistakes.add(fmt::format("command[{}]", *script), no_file(words[*script], "command", file));
    }
}

/// A session may run for days before its hooks: what is missing is said at once.
void check_hooks(const SweepFile& file, Mistakes& mistakes) {
    for (const auto& [key, command] :
         {std::pair("on_finish", &file.hooks.on_finish), std::pair("on_failure", &file.hooks.on_failure)}) {
        if (const auto problem = command->empty() ? "" : no_program(command->front(), key, file); !problem.empty()) {
            mistakes.add(fmt::format("{}[0]", key), problem);
        }
    }
}

/// A program that is started for one trial ends when it likes; one that waits for trials trains as long as it is told.
void require_end_of_trials(const SweepFile& file, Mistakes& mistakes) {
    if (file.grow != Growth::in_place || file.spec.scheduler.has_max()) {
        return;
    }
    const bool has_rule = file.source.has("early_terminate");
    mistakes.add(has_rule ? "early_terminate.max_iter" : "scheduler",
                 fmt::format("is missing: a program with `grow: in_place` trains as long as it is told, and nobody "
                             "would tell it to end; add {}",
                             has_rule ? "max_iter: 27 and s: 2" : "scheduler: {type: asha, min: 1, max: 27}"));
}

/// Sweeps that began with such a maximum go on as they did, as if there were none.
void check_max(const SweepFile& file, Mistakes& mistakes) {
    const auto max = file.spec.scheduler.max;
    const bool is_given = file.source.has("scheduler");  // without one, trials may have no maximum
    if (max > unlimited_resource || (is_given && max == unlimited_resource)) {
        mistakes.add(is_given ? "scheduler.max" : "early_terminate.max_iter",
                     fmt::format("is {}, and resource is counted up to {}; count in a larger unit, such as thousands "
                                 "of samples",
                                 max.value, unlimited_resource.value - 1));
    }
}

bool has_nothing_to_run(const SweepDraft& draft) {
    const auto& [file, mistakes] = draft;
    return !file.trainer && !file.command && !mistakes.lie_in("trainer") && !mistakes.lie_in("command") &&
           !mistakes.lie_in("program");
}

}  // namespace

void check(SweepDraft& draft, const ProgramPaths& paths) {
    auto& [file, mistakes] = draft;
    check_max(file, mistakes);
    check_hooks(file, mistakes);
    if (!mistakes.lie_in("parameters") && !mistakes.lie_in("constraints")) {
        try_rules(file.spec.space, file.spec.seed, file.source, mistakes);
    }
    check_plugins(file, paths.plugin_host, mistakes);
    if (file.sampler && file.sampler->plugin.empty()) {
        check_sampler(file, mistakes);
    }
    if (has_nothing_to_run(draft)) {
        mistakes.add("trainer",
                     "is missing, and so are command and program, so there is nothing to train; give one of the "
                     "three, such as `program: train.py`");
    }
    if (file.trainer && !mistakes.lie_in("trainer") && !mistakes.lie_in("parameters") &&
        !mistakes.lie_in("constraints")) {
        check_trainer(file, paths.trainer, mistakes);
    }
    if (file.command && !mistakes.lie_in("command") && !mistakes.lie_in("program")) {
        check_macros(file, mistakes);
        require_end_of_trials(file, mistakes);
        const bool is_there = !mistakes.lie_in("command") && !mistakes.lie_in("program");
        if (file.grow == Growth::in_place && is_there && !mistakes.lie_in("parameters") &&
            !mistakes.lie_in("constraints")) {
            ask_trainer(file, expand_shared_command(*file.command, file.program),
                        file.source.has("command") ? "command" : "program", mistakes);
        }
    }
}

std::vector<std::string> warnings_of(const SweepFile& file) {
    if (!file.command || file.grow == Growth::in_place || runs_wandb_adapter(file)) {
        return {};
    }
    std::vector<std::string> warnings;
    const auto words = fixed_words(file);
    auto script = std::ranges::find_if(words, speaks_to_wandb_alone);
    if (script == words.end() && speaks_to_wandb_alone(file_of_module(words))) {
        script = std::ranges::find(words, "-m");
    }
    if (script != words.end() && !file.supervision.report) {
        warnings.push_back(file.source.located(
            fmt::format("command[{}]", script - words.begin()),
            fmt::format("calls wandb, and what it gives to wandb.log does not arrive here; write `-m, {},` before it, "
                        "behind python3",
                        wandb_adapter)));
    }
    if (const auto launcher = find_launcher(words); launcher && !file.supervision.report) {
        warnings.push_back(file.source.located(
            fmt::format("command[{}]", *launcher),
            fmt::format(
                "{} closes what a program reports through, CRESCENDO_FD, before it starts the script; start the "
                "script with python3, once a worker (docs/your-own-program.md, Several workers), or give "
                "`report: {{pattern: …}}`",
                words[*launcher])));
    }
    const auto depends_on_trial = [&](const std::string& word) {
        const auto has = [&](const char* text) { return word.find(text) != std::string::npos; };
        try {
            return has("${args") || has("CRESCENDO_TRIAL") || expand_word(word, 0, {file.program, {}}).empty();
        } catch (const InvalidInput&) {
            return true;  // holds a parameter
        }
    };
    if (std::ranges::none_of(*file.command, depends_on_trial)) {
        warnings.push_back(file.source.located(
            file.source.has("command") ? "command" : "program",
            fmt::format("neither ${{args}} nor a parameter, such as ${{{}}}, is in it, so all trials get the same "
                        "arguments; add \"${{args}}\", unless the program reads params.json in $CRESCENDO_TRIAL_DIR",
                        file.spec.space.parameters().front().name)));
    }
    return warnings;
}

SweepFile read_sound_sweep_file(const std::filesystem::path& path) {
    auto draft = draft_sweep(read_file(path), path);
    check(draft, ProgramPaths::find());
    draft.mistakes.throw_if_any(draft.file.source);
    for (const auto& [key, remark] : draft.file.remarks) {
        fmt::print(stderr, "crescendo: note: {}\n", draft.file.source.located(key, remark));
    }
    auto warnings = warnings_of(draft.file);
    const auto of_rules = warnings_of_rules(draft.file.spec.space, draft.file.spec.seed, draft.file.source);
    warnings.insert(warnings.end(), of_rules.begin(), of_rules.end());
    for (const auto& warning : warnings) {
        fmt::print(stderr, "crescendo: warning: {}\n", warning);
    }
    return std::move(draft.file);
}

}  // namespace crescendo::launch
