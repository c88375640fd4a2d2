#include "launch/directory/warm_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/files/csv_file.hpp"
#include "launch/files/read_file.hpp"
#include "launch/json/value_json.hpp"
#include "scheduler/loss.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/space/membership.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// The results of one source, with the source's own parameters.
struct Source {
    std::set<std::string> parameters;
    std::vector<EarlierResult> results;
};

/// Sets how an earlier trial ended. A trial that reached its maximum might have continued here. A trial that ended
/// early because more training was useless has its last value at this sweep's maximum too.
void note_end(EarlierResult& result, std::optional<StopReason> reason, const SweepSpec& spec) {
    const bool has_rungs = Results::milestones_of(spec.scheduler).size() > 1;
    const auto ending = ending_of(reason, !result.reports.empty(), has_rungs);
    result.has_lost = ending == Ending::lost;
    result.is_complete = ending == Ending::complete;
    const auto max = spec.scheduler.max;
    if (result.is_complete && reason != StopReason::completed && spec.scheduler.has_max() && !result.reports.empty() &&
        result.reports.back().resource < max) {
        result.reports.push_back({max, result.reports.back().loss});
    }
}

Source read_sweep(const fs::path& path, const SweepSpec& spec) {
    const RecordedSweep sweep(path, Reports::curves);
    const auto& before = sweep.file.spec;
    CRESCENDO_VALIDATE(before.metric == spec.metric, "",
                       "its metric is {} but this sweep's is {} (one says nothing about the other); name sweeps with "
                       "the same metric",
                       before.metric, spec.metric);
    CRESCENDO_VALIDATE(before.goal == spec.goal, "",
                       "its goal is to {} {}, but this sweep's is to {} it (its best would be the worst here); correct "
                       "the goal, or name another sweep",
                       goals.of(before.goal), before.metric, goals.of(spec.goal));
    Source source;
    for (const auto& parameter : before.space.parameters()) {
        source.parameters.insert(parameter.name);
    }
    for (const auto& trial : sweep.history.sweep().trials()) {
        EarlierResult result{trial.config, {}};
        for (const auto& report : sweep.history.of(trial.id).reports) {
            if (const auto metric = protocol::find_metric(report.metrics, spec.metric)) {
                result.reports.push_back({report.resource, to_loss(spec.goal, *metric)});
            }
        }
        note_end(result, trial.reason, spec);
        source.results.push_back(std::move(result));
    }
    return source;
}

/// The parameter's value for a field of a CSV file; nothing if the field is empty and stands for no value. A text may
/// look like a number, and tables from Python have Python's words for booleans and null, or an empty field for null.
std::optional<Value> value_of(const Parameter& parameter, const std::string& text) {
    static const std::map<std::string, Json> of_python{
        {"True", true}, {"False", false}, {"None", nullptr}, {"", nullptr}};
    const auto has = [&](const Value& value) { return member(parameter.distribution, value); };
    if (const auto json = Json::parse(text, nullptr, false); !json.is_discarded()) {
        if (auto value = value_from_json(json); has(value)) {
            return value;
        }
    }
    const bool may_be_absent = text.empty() && !parameter.when.empty();
    if (const auto word = of_python.find(text); word != of_python.end() && !has(text) && !may_be_absent) {
        if (auto value = value_from_json(word->second); has(value)) {
            return value;
        }
    }
    return text.empty() ? std::nullopt : std::optional<Value>(text);
}

/// Why a trial ended, from the words of a table. A table made by hand may have only the status.
std::optional<StopReason> reason_from(std::string_view reason, std::string_view status) {
    if (const auto known = stop_reasons.find(reason)) {
        return known;
    }
    if (status == to_string(TrialStatus::failed)) {
        return StopReason::failed;
    }
    return status == to_string(TrialStatus::finished) ? std::optional(StopReason::completed) : std::nullopt;
}

/// Reads a table, which has the last report of each trial. Ignores columns that are not parameters of this sweep.
Source read_table(const fs::path& path, const SweepSpec& spec) {
    CsvFile file(path);
    const auto metric = file.column("metrics", spec.metric);
    const auto resource = file.column("resource");
    const auto reason_column = file.find_column("reason");
    const auto status_column = file.find_column("status");
    const auto text_in = [&](std::optional<std::size_t> column) {
        return column ? file.text(*column) : std::string_view();
    };
    std::vector<std::pair<const Parameter*, std::size_t>> columns;
    Source source;
    for (const auto& parameter : spec.space.parameters()) {
        if (const auto column = file.find_column("parameters", parameter.name)) {
            columns.emplace_back(&parameter, *column);
            source.parameters.insert(parameter.name);
        }
    }
    while (file.next()) {
        EarlierResult result;
        for (const auto& [parameter, column] : columns) {
            if (auto value = value_of(*parameter, std::string(file.text(column)))) {
                result.config.emplace_back(parameter->name, *std::move(value));
            }
        }
        if (!file.text(metric).empty()) {
            const Resource trained{file.whole_number(resource)};
            if (trained.value < 1) {
                file.fail(
                    fmt::format("'{}' in the column 'resource' is not a resource, which is at least 1; correct it, or "
                                "remove the line",
                                trained.value));
            }
            result.reports.push_back({trained, to_loss(spec.goal, file.number(metric))});
        }
        note_end(result, reason_from(text_in(reason_column), text_in(status_column)), spec);
        source.results.push_back(std::move(result));
    }
    return source;
}

Source read_source(const fs::path& path, const SweepSpec& spec) {
    CRESCENDO_VALIDATE(is_there(path), "",
                       "there is no such file or folder; name the directory of a sweep, or a CSV file from `crescendo "
                       "trials --format csv`");
    return fs::is_directory(path) ? read_sweep(path, spec) : read_table(path, spec);
}

std::string list(const auto& names) { return fmt::format("{}", fmt::join(names, ", ")); }

/// The part of a source that this sweep can use.
class Overlap {
  public:
    Overlap(Source source, const SweepSpec& spec) : spec_(spec) {
        for (const auto& parameter : spec.space.parameters()) {
            if (!parameter.is_derived() && !is_constant(parameter.distribution)) {
                (source.parameters.contains(parameter.name) ? shared_ : missing_).push_back(parameter.name);
            }
            source.parameters.erase(parameter.name);
        }
        unknown_.assign(source.parameters.begin(), source.parameters.end());
        for (auto& result : source.results) {
            if (result.reports.empty() && !result.has_lost) {
                continue;  // it shows nothing
            }
            ++num_results_;
            if (keep_shared(result.config)) {
                results_.push_back(std::move(result));
            }
        }
    }

    /// Throws InvalidInput if the source has nothing usable.
    void require_some() const {
        CRESCENDO_VALIDATE(!shared_.empty(), "", "it has no parameter that this sweep searches ({}); remove it",
                           list(missing_));
        CRESCENDO_VALIDATE(num_results_ > 0, "", "none of its trials has a result; remove it");
        CRESCENDO_VALIDATE(!results_.empty(), "",
                           "none of its {} results is in the space of this sweep ({}); widen `parameters:`, or remove "
                           "it",
                           num_results_, list(outside_));
    }

    std::string text() const {
        auto text = fmt::format("{} of {} results", results_.size(), num_results_);
        const auto add = [&](const char* what, const auto& names) {
            text += names.empty() ? "" : fmt::format("; {}: {}", what, list(names));
        };
        add("values out of range here", outside_);
        add("not searched there", missing_);
        add("not searched here", unknown_);
        return text;
    }

    const std::vector<EarlierResult>& results() const { return results_; }

  private:
    /// Keeps only the values of this sweep's parameters. Returns false if one is out of range.
    bool keep_shared(Config& config) {
        Config kept;
        for (const auto& [name, value] : config) {
            const auto parameter = std::ranges::find(spec_.space.parameters(), name, &Parameter::name);
            if (parameter == spec_.space.parameters().end() || parameter->is_derived()) {
                continue;
            }
            const auto meant = member(parameter->distribution, value);
            if (!meant) {
                outside_.insert(name);
                return false;
            }
            kept.emplace_back(name, *meant);
        }
        config = std::move(kept);
        return true;
    }

    const SweepSpec& spec_;
    std::vector<std::string> shared_;
    std::vector<std::string> missing_;  // in the source
    std::vector<std::string> unknown_;  // in this sweep
    std::set<std::string> outside_;     // parameters with values in the source that they cannot have here
    std::vector<EarlierResult> results_;
    std::size_t num_results_ = 0;
};

void require_use(const SweepFile& file) {
    const auto& results = file.spec.warm_start;
    const auto is_finite = [](const EarlierResult::Report& report) { return report.loss < worst_loss; };
    if (std::ranges::none_of(results, [&](const auto& each) { return std::ranges::any_of(each.reports, is_finite); })) {
        file.source.fail("warm_start", fmt::format("no result has a finite {}, so there is nothing to learn; remove it",
                                                   file.spec.metric));
    }
    if (Results(file.spec).highest_ranking(1) == nullptr) {
        const auto first = Results::milestones_of(file.spec.scheduler).front();
        file.source.fail("warm_start",
                         first >= unlimited_resource
                             ? "no finite result comes from a completed trial, and trials here are not judged earlier; "
                               "remove it"
                             : fmt::format("no finite result comes from a trial that reached the resource at which "
                                           "trials here are first judged ({}); lower scheduler.min or max, or remove "
                                           "it",
                                           first.value));
    }
}

}  // namespace

void gather_warm_start(SweepFile& file, const std::function<void(const std::string&)>& say) {
    std::vector<std::string> texts;
    std::vector<EarlierResult> all;
    for (std::size_t i = 0; i < file.warm_start.size(); ++i) {
        const auto& path = file.warm_start[i];
        if (&*std::ranges::find(file.warm_start, path) != &path) {
            file.source.fail(fmt::format("warm_start[{}]", i),
                             fmt::format("{} is listed twice, but each result counts once; remove one", path));
        }
        try {
            const Overlap overlap(read_source(path, file.spec), file.spec);
            overlap.require_some();
            all.insert(all.end(), overlap.results().begin(), overlap.results().end());
            texts.push_back(fmt::format("{} ({})", path, overlap.text()));
        } catch (const InvalidInput& error) {
            const std::string what = error.what();  // a message that names the file need not name it twice
            file.source.fail(fmt::format("warm_start[{}]", i),
                             what.starts_with(path) ? what : fmt::format("{}: {}", path, what));
        }
    }
    if (texts.empty()) {
        return;
    }
    file.spec.warm_start = std::move(all);
    require_use(file);
    say("note: " + file.source.located("warm_start", "the sampler knows " + list(texts)));
}

}  // namespace crescendo::launch
