#pragma once

#include <string>
#include <vector>

#include "launch/display/table.hpp"
#include "launch/json/json.hpp"
#include "scheduler/sweep_spec.hpp"
#include "simulator/comparison.hpp"
#include "simulator/summary.hpp"

namespace crescendo::launch {

/// Results of a simulated sweep as one object: times in seconds, the metric as trials report it.
OrderedJson summary_json(const simulator::Summary& summary, const SweepSpec& spec);

/// A table of the improvements of the best metric: seconds, metric, trial, resource. At most `most_rows` rows, evenly
/// distributed over the time.
Table best_table(const simulator::Summary& summary, const SweepSpec& spec, std::size_t most_rows);

/// A table of the slots in use over time, with the columns seconds and slots.
Table use_table(const simulator::Summary& summary);

/// A table of reports: seconds, trial, resource, workers, and the metric.
Table report_table(const std::vector<simulator::SeenReport>& reports, const SweepSpec& spec);

/// A table with one row for each policy. "±" columns hold half the width of the 95 % confidence interval.
Table comparison_table(const std::vector<simulator::Comparison>& policies, const SweepSpec& spec);

/// The comparison of policies as text for people, with figures like "4985 ± 311".
std::string comparison_text(const std::vector<simulator::Comparison>& policies, const SweepSpec& spec);

/// A picture (SVG, without other files) of the best metric and the slots in use over time.
std::string chart(const simulator::Summary& summary, const SweepSpec& spec);

}  // namespace crescendo::launch
