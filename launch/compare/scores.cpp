#include "launch/compare/scores.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/spelling.hpp"

namespace crescendo::launch {
namespace {

using analysis::missed;

std::size_t find_baseline(const std::vector<Submission>& submissions, const std::string& name) {
    const auto found = std::ranges::find(submissions, name, &Submission::name);
    if (found == submissions.end()) {
        const auto names = names_of(submissions);
        throw InvalidInput("--baseline: no submission is named '" + name + "'" + did_you_mean(name, names) +
                           "; the submissions are " + enumerate(names, " and "));
    }
    return static_cast<std::size_t>(found - submissions.begin());
}

/// Seconds to the targets: one row per submission, one column per workload, in their orders. Infinity if a submission
/// missed the target or has no curve.
analysis::Times times_to_targets(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads) {
    analysis::Times times;
    for (const auto& submission : submissions) {
        auto& row = times.emplace_back();
        for (std::size_t i = 0; i < workloads.size(); ++i) {
            const auto& studies = submission.studies[i];
            row.push_back(studies.empty() ? missed : analysis::time_to_target(studies, workloads[i].target));
        }
    }
    return times;
}

/// The values of base workloads only.
std::vector<double> of_bases(const std::vector<double>& values, const std::vector<Workload>& workloads) {
    std::vector<double> bases;
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        if (!workloads[i].base) {
            bases.push_back(values[i]);
        }
    }
    return bases;
}

void require_limits(const analysis::Times& times, const std::vector<Workload>& workloads) {
    for (const auto& row : times) {
        for (std::size_t i = 0; i < workloads.size(); ++i) {
            CRESCENDO_VALIDATE(workloads[i].base || row[i] != missed || workloads[i].target.max_seconds != missed, "",
                               "--baseline: a missed target counts as max_seconds plus one second, but workload '{}' "
                               "has no max_seconds; add it to the file of workloads",
                               workloads[i].name);
        }
    }
}

}  // namespace

void require_submission(const std::vector<Submission>& submissions, const std::string& name) {
    find_baseline(submissions, name);
}

Table times_table(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads,
                  const Prices& prices) {
    const auto times = times_to_targets(submissions, workloads);
    Table table({"submission", "workload", "seconds", "cost"});
    for (std::size_t i = 0; i < submissions.size(); ++i) {
        for (std::size_t j = 0; j < workloads.size(); ++j) {
            const auto price = prices.per_hour(submissions[i].name, workloads[j].name);
            const double seconds = times[i][j];
            table.add_row({submissions[i].name, workloads[j].name, finite_cell(seconds),
                           price ? finite_cell(seconds * *price / 3600) : Cell{}});
        }
    }
    return table;
}

Table scores_table(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads,
                   const ScoreOptions& options) {
    const auto times = times_to_targets(submissions, workloads);
    const analysis::Variants variants = mapped(workloads, &Workload::base);
    const auto max_seconds = mapped(workloads, [](const Workload& each) { return each.target.max_seconds; });
    const auto profiles = analysis::performance_profiles(analysis::counted_times(times, variants, options.r_max));
    std::vector<std::string> columns{"submission", "score"};
    std::optional<std::size_t> baseline;
    if (options.baseline) {
        baseline = find_baseline(submissions, *options.baseline);
        require_limits(times, workloads);
        columns.emplace_back("time_over_baseline");
    }
    Table table(std::move(columns));
    for (std::size_t i = 0; i < submissions.size(); ++i) {
        std::vector<Cell> row{submissions[i].name, options.num_points
                                                       ? profiles[i].score(options.r_max, *options.num_points)
                                                       : profiles[i].score(options.r_max)};
        if (baseline) {
            row.push_back(finite_cell(analysis::time_over_baseline(of_bases(times[i], workloads),
                                                                   of_bases(times[*baseline], workloads),
                                                                   of_bases(max_seconds, workloads))));
        }
        table.add_row(std::move(row));
    }
    return table;
}

}  // namespace crescendo::launch
