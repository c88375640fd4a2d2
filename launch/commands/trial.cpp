#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <ranges>
#include <vector>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/display/sparkline.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/report/best_so_far.hpp"
#include "launch/report/chronicle.hpp"
#include "launch/view/results.hpp"
#include "scheduler/origin.hpp"

namespace crescendo::launch {
namespace {

struct TrialOptions {
    std::filesystem::path directory;
    int trial = 0;
    Format format = Format::table;
};

/// Indents all lines after the first, so that they stand below it, beside the names.
std::string indented(const std::string& text, std::size_t width) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') {
            result.append(width, ' ');
        }
    }
    return result;
}

/// Everything that the journal has about one trial.
class TrialStory {
  public:
    TrialStory(const SweepDirectory& directory, TrialId id)
        : directory_(directory),
          file_(read_first_file(directory, FrozenFile::recorded_in(directory.journal()))),
          chronicle_(whole_chronicle(directory, file_.spec)),
          history_(chronicle_.history()),
          trial_(known_trial(history_.sweep(), id)) {
        const auto is_ours = [id](TrialId trial) { return trial == id; };
        std::ranges::copy_if(chronicle_.spans(), std::back_inserter(spans_), is_ours, &Span::trial);
        std::ranges::copy_if(chronicle_.faults(), std::back_inserter(faults_), is_ours, &Fault::trial);
    }

    OrderedJson json() const {
        const auto& annotations = history_.annotations();
        OrderedJson json{{"trial", trial_.id.value}, {"status", to_string(trial_.status)}};
        json["reason"] = trial_.reason ? OrderedJson(stop_reasons.of(*trial_.reason)) : OrderedJson(nullptr);
        json["resource"] = trial_.resource.value;
        json["rungs_survived"] = trial_.rungs_survived;
        json["config"] = launch::to_json(with_whole_numbers(trial_.config, history_.sweep().spec().space));
        json["origin"] = origins.of(trial_.origin);
        if (const auto& repeat = history_.sweep().spec().repeat; repeat.is_on()) {
            const auto judged = judged_value(history_.sweep(), trial_.id);
            json["configuration"] = repeat.configuration_of(trial_.id).value;
            json["repetition"] = repeat.repetition_of(trial_.id);
            json["judged"] = judged;
        }
        json["reports"] = OrderedJson::array();
        for (const auto& report : reports()) {
            json["reports"].push_back({{"resource", report.resource.value},
                                       {"elapsed", report.time},
                                       {"workers", report.workers},
                                       {"metrics", launch::to_json(report.metrics)}});
            if (report.group_batch) {
                json["reports"].back()["batch"] = *report.group_batch;
            }
        }
        json["moves"] = OrderedJson::array();
        for (const auto& span : spans_) {
            json["moves"].push_back({{"from", span.from}, {"to", span.to}, {"slots", span.slots}});
        }
        json["failures"] = OrderedJson::array();
        for (const auto& fault : faults_) {
            json["failures"].push_back({{"elapsed", fault.time}, {"kind", fault.kind}, {"message", fault.message}});
        }
        json["tags"] = annotations.tags(trial_.id);
        json["notes"] = OrderedJson::array();
        for (const auto& note : annotations.user_notes()) {
            if (note.trial == trial_.id) {
                json["notes"].push_back({{"text", note.text}, {"time", note.time}});
            }
        }
        json["log"] = log();
        return json;
    }

    std::string text() const {
        const auto& metric = history_.sweep().spec().metric;
        const auto width = std::max<std::size_t>(metric.size(), 10) + 1;
        std::string text;
        const auto line = [&](std::string_view name, const std::string& value) {
            text += fmt::format("{:<{}} {}\n", name, width, indented(printable(value), width + 1));
        };
        const auto reason = trial_.reason ? fmt::format(" ({})", stop_reasons.of(*trial_.reason)) : "";
        line("trial", fmt::format("{} of {}", trial_.id.value, file_.name));
        line("status", fmt::format("{}{}, {} survived", to_string(trial_.status), reason,
                                   counted(trial_.rungs_survived, "rung")));
        line("parameters", brief(trial_.config));
        line("origin", std::string(origins.of(trial_.origin)));
        tell_configuration(line);
        tell_curve(line);
        for (const auto& span : spans_) {
            line(&span == &spans_.front() ? "slots" : "",
                 fmt::format("{} from {} to {}", slots_text(span), clock_text(span.from), clock_text(span.to)));
        }
        for (const auto& fault : faults_) {
            line(&fault == &faults_.front() ? "failures" : "",
                 fmt::format("{} at {}: {}", fault.kind, clock_text(fault.time), fault.message));
        }
        if (const auto& tags = history_.annotations().tags(trial_.id); !tags.empty()) {
            line("tags", fmt::format("{}", fmt::join(tags, ", ")));
        }
        for (const auto& note : history_.annotations().user_notes()) {
            if (note.trial == trial_.id) {
                line("note", note.text);
            }
        }
        line("log", log());
        return text;
    }

  private:
    static Chronicle whole_chronicle(const SweepDirectory& directory, const SweepSpec& spec) {
        const bool is_running = SweepLock::holder(directory).has_value();
        auto chronicle = Chronicle::read(spec, directory.journal(), is_running, Reports::all);
        CRESCENDO_VALIDATE(chronicle.problem().empty(), "", "{}", chronicle.problem());
        return chronicle;
    }

    const std::vector<TrialReport>& reports() const { return history_.of(trial_.id).reports; }

    void tell_configuration(const auto& line) const {
        const auto& repeat = history_.sweep().spec().repeat;
        if (!repeat.is_on()) {
            return;
        }
        const auto judged = judged_value(history_.sweep(), trial_.id);
        const auto value =
            judged ? fmt::format(", judged by {} ({})", number_text(*judged), judge_text(history_.sweep(), trial_.id))
                   : std::string();
        line("repetition", fmt::format("{} of configuration {}{}", repeat.repetition_of(trial_.id),
                                       repeat.configuration_of(trial_.id).value, value));
    }

    void tell_curve(const auto& line) const {
        constexpr std::size_t width = 60;
        if (reports().empty()) {
            line("reports", "none");
            return;
        }
        const auto& spec = history_.sweep().spec();
        const auto curve = mapped(reports(), [&](const auto& each) { return metric_of(each, spec.metric); });
        line(spec.metric,
             fmt::format("{} at {}, {}", number_text(curve.back()), trial_.resource.value, best_of(curve, spec.goal)));
        line("curve", sparkline(curve, width));
    }

    /// The best report. One that is not finite is not a result, and compares neither better nor worse than another.
    std::string best_of(const std::vector<double>& curve, Goal goal) const {
        const auto loss = [goal](double value) { return to_loss(goal, value); };
        const auto best = std::ranges::min_element(curve, {}, loss);
        return std::isfinite(*best) ? fmt::format("the best of {} reports {} at {}", curve.size(), number_text(*best),
                                                  reports()[best - curve.begin()].resource.value)
                                    : fmt::format("and none of {} reports is finite", curve.size());
    }

    static std::string slots_text(const Span& span) {
        return fmt::format("{}", fmt::join(span.slots | std::views::transform(&SlotId::value), ","));
    }

    std::string log() const { return directory_.log(trial_.id).string(); }

    SweepDirectory directory_;
    SweepFile file_;
    Chronicle chronicle_;
    const History& history_;
    const Trial& trial_;
    std::vector<Span> spans_;
    std::vector<Fault> faults_;
};

ExitCode trial(const TrialOptions& options) {
    const TrialStory story(SweepDirectory::open(options.directory), TrialId{options.trial});
    fmt::print("{}", options.format == Format::json ? in_lines(story.json()) : story.text());
    return ExitCode::done;
}

}  // namespace

void add_trial_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<TrialOptions>();
    auto* command =
        app.add_subcommand("trial", "Show one trial: its curve, its slots, its failures, and notes about it");
    add_directory_argument(*command, options->directory);
    command->add_option("TRIAL", options->trial, "The trial's number")->required()->check(at_least(0));
    add_format_option_without_csv(*command, options->format);
    command->footer("Example:\n  crescendo trial results/first 17");
    command->callback([options, &code] { code = trial(*options); });
}

}  // namespace crescendo::launch
