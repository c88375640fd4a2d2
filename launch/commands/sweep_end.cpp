#include "launch/commands/sweep_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/shell_words.hpp"
#include "launch/agent/program_run.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/cost.hpp"
#include "launch/messages/report_pattern.hpp"
#include "launch/sweep_file/wandb_script.hpp"
#include "launch/view/progress.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

/// The last failure of the trial that failed last, safe for a terminal. There must be one.
std::string last_failure(const History& history) {
    return printable(history.of(last_failed(history.sweep())->id).last_failure);
}

/// "3 trials failed". More than one may have failed, because several can fail in one turn.
std::string failed_trials(const History& history) {
    const auto count = history.sweep().count(TrialStatus::failed);
    return count == 1 ? "a trial failed" : fmt::format("{} trials failed", count);
}

/// The metric that none of the trials reported.
std::string missed_metric(const History& history) {
    const auto& metric = history.sweep().spec().metric;
    return metric.empty() ? "anything" : metric;
}

/// Advice on how to report, if programs ended without an error and without a report.
std::string advice_on_reports(const SweepFile& file, const History& history) {
    if (!last_failure(history).starts_with(no_report)) {
        return {};
    }
    if (const auto& report = file.supervision.report) {
        return fmt::format("docs/sweep-file.md, `report`, explains how reports are found in {}.\n\n",
                           report->file.empty() ? "a program's output" : report->file);
    }
    const auto& known = history.sweep().spec().metric;
    if (runs_wandb_adapter(file)) {
        return fmt::format(
            "The script never passed {} to wandb.log. The end of its output lists what it passed instead:\n"
            "the metric in the sweep file must be one of these.\n\n",
            known);
    }
    const auto metric = known.empty() ? "val_loss" : known;
    const auto group = name_of_group(metric);
    const auto call = group == metric ? fmt::format("trial.report({}=0.31)", metric)
                                      : fmt::format("trial.report({{\"{}\": 0.31}})", metric);
    return fmt::format(
        "A program reports by writing a line of JSON such as this one, say after each epoch, to the file descriptor\n"
        "whose number is in CRESCENDO_FD. It then reads the answer there, which is to continue or to stop:\n\n"
        "  {{\"resource\": 1, \"metrics\": {{\"{}\": 0.31}}}}\n\n"
        "docs/trial-protocol.md has the details. In Python, the package in the folder python/ does this, with a line\n"
        "such as `{}` in the loop: docs/your-own-program.md.\n"
        "A program that prints its metric needs no change. Describe its lines in the sweep file:\n\n"
        "  report: {{pattern: 'epoch (?P<resource>\\d+).*{}=(?P<{}>[^\\s,]+)'}}\n"
        "{}\n",
        metric, call, metric, group,
        group == metric ? "" : fmt::format("  metric: {{name: {}}}     the group's name\n", group));
}

/// Advice about failures that many programs have at first.
std::string advice(const SweepFile& file, const History& history) {
    const auto words = last_failure(history);
    const auto is_ignored = [&](const char* value) {
        return words.find(fmt::format("ignored explicit argument '{}'", value)) != std::string::npos;
    };
    const bool takes_none = words.find("does not take a value") != std::string::npos ||       // click's message
                            words.find("Unrecognized options: True") != std::string::npos ||  // tyro's message
                            words.find("Unrecognized options: False") != std::string::npos;
    if (is_ignored("True") || is_ignored("False") || takes_none) {
        return "An option such as argparse's store_true takes no value. In the command, write\n"
               "`${args_no_boolean_flags}` instead of `${args}`: the option is then present only if the parameter is\n"
               "true. If it is on by default, and the program also has --no-flag, search `no-flag` instead of "
               "`flag`.\n\n";
    }
    if (words.find("No module named 'crescendo'") != std::string::npos) {
        return "The program's Python has no package `crescendo`. It is in Crescendo's folder python/:\n"
               "install it next to the program's other packages, with `pip install path/to/crescendo/python`.\n\n";
    }
    if (words.find("module 'crescendo' has no attribute") != std::string::npos) {
        return "Python finds another `crescendo` before the package: a script or a folder of that name\n"
               "next to the program, or in the folder where it runs. Rename it.\n\n";
    }
    if (words.find("No module named") != std::string::npos && file.command) {
        return "The program's Python lacks a package. A `python3` in the command is the first one in PATH:\n"
               "call `crescendo run` in the environment where the script runs by hand, or put the path of its python3\n"
               "in the command.\n\n";
    }
    std::vector<const char*> traces{"wandb.errors", "wandb: ERROR", "wandb login"};
    if (words.starts_with(no_report) && !file.supervision.report) {
        traces.push_back("wandb: ");  // any output of wandb: a program without reports probably reports by wandb.log
    }
    const auto has_left = [&](const char* trace) { return words.find(trace) != std::string::npos; };
    if (!runs_wandb_adapter(file) && std::ranges::any_of(traces, has_left)) {
        return "The program calls wandb. Run it with the adapter to receive what it passes to wandb.log, without an\n"
               "account: command: [python3, -m, crescendo.wandb, train.py, \"${args}\"].\n\n";
    }
    return advice_on_reports(file, history);
}

/// A command to type, and what it does.
using Step = std::pair<std::string, std::string>;

void print_steps(const std::vector<Step>& steps) {
    std::size_t width = 0;
    for (const auto& [what, why] : steps) {
        width = std::max(width, what.size());
    }
    for (const auto& [what, why] : steps) {
        fmt::print("  {:<{}}  {}\n", what, width, why);
    }
}

/// How to start again with another sweep file, because the sweep continues with its own copy.
Step way_to_begin_anew(const History& history, const SweepDirectory& directory) {
    const auto copy = shell_quoted(directory.sweep_file());
    const bool is_submitted = is_there(directory.job_script());
    const char* begin = is_submitted ? "submit" : "run";
    if (std::ranges::any_of(history.sweep().trials(), [](const Trial& trial) { return trial.resource.value > 0; })) {
        return {fmt::format("crescendo {} FILE --dir NAME", begin),
                fmt::format("starts over with your file, if that has to change; {} stays as it is", copy)};
    }
    return {fmt::format("rm -r {}; crescendo {} FILE", shell_quoted(directory.path()), begin),
            fmt::format("starts over with your file, if that has to change; {} keeps using {}",
                        is_submitted ? "submit" : "resume", copy)};
}

void print_end(Outcome outcome, const SweepFile& file, const History& history, const SweepDirectory& directory) {
    const auto where = shell_quoted(directory.path());  // quoted, because users copy these lines
    if (outcome == Outcome::interrupted) {
        fmt::print("stopped; it can be resumed\n\n");
        print_steps(
            {{directory.way_to_continue(), "continues it"}, {"crescendo status " + where, "shows its progress"}});
        return;
    }
    if (outcome == Outcome::hopeless || outcome == Outcome::failed) {
        const bool is_over = outcome == Outcome::failed;
        fmt::print("{}; the last failure: {}\n\n{}",
                   is_over ? "every trial failed"
                           : fmt::format("giving up: {}, and none has reported {}", failed_trials(history),
                                         missed_metric(history)),
                   last_failure(history), advice(file, history));
        std::vector<Step> steps{{where + "/trials/*/trainer.log", "the trainers' output"},
                                {directory.way_to_retry(), fmt::format("retries them, once the cause is fixed{}",
                                                                       is_over ? "" : ", and continues")}};
        if (!is_over) {
            steps.emplace_back(directory.way_to_continue(), "continues with other trials");
        }
        steps.push_back(way_to_begin_anew(history, directory));
        print_steps(steps);
        return;
    }
    const auto price = price_of_slot_hour(file.price, history);
    fmt::print("\n{}\n", best_text(history, directory, Format::table, price));
    if (const auto advice = hint(history, file); !advice.empty()) {
        fmt::print("{}\n", advice);
    }
    fmt::print("finished: {}, {} in {}\n", finish_reason_texts.of(*history.sweep().finish_reason()),
               counted(num_begun(history.sweep()), "trial"), clock_text(history.elapsed()));
    fmt::print("{}\n\n", spending_text(history, price));
    const auto last = history.sweep().best()
                          ? Step("crescendo best " + where + " --format json", "the best configuration, for a program")
                          : Step("crescendo logs " + where + " 0", "the output of a trial without a value");
    std::vector<Step> next{
        {"crescendo report " + where, "one HTML page: which trial ran where, learning curves, effects of parameters"},
        {"crescendo trials " + where, "every trial, its parameters and results"},
        last,
        {directory.results().string(), "the trials as CSV"}};
    if (history.sweep().count(TrialStatus::failed) > 0) {
        next.emplace_back(directory.way_to_retry(), "retries the failed trials, once the cause is fixed");
    }
    print_steps(next);
}

ExitCode exit_code(Outcome outcome) {
    switch (outcome) {
        case Outcome::finished:
            return ExitCode::done;
        case Outcome::failed:
        case Outcome::hopeless:
            return ExitCode::failed;
        case Outcome::interrupted:
            return ExitCode::resumable;
    }
    return ExitCode::failed;
}

}  // namespace

std::string reason_of(Outcome outcome, const History& history) {
    switch (outcome) {
        case Outcome::finished:
            return finish_reason_texts.of(*history.sweep().finish_reason());
        case Outcome::failed:
            return fmt::format("every trial failed; the last failure: {}", last_failure(history));
        case Outcome::hopeless:
            return fmt::format("{}, and none reported {}; the last failure: {}", failed_trials(history),
                               missed_metric(history), last_failure(history));
        case Outcome::interrupted:
            break;
    }
    return {};
}

ExitCode report_end(Outcome outcome, const SweepFile& file, const History& history, const SweepDirectory& directory) {
    print_end(outcome, file, history, directory);
    return exit_code(outcome);
}

}  // namespace crescendo::launch
