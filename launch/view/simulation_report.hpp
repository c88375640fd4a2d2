#pragma once

#include <string>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/view/table.hpp"
#include "scheduler/sweep_spec.hpp"
#include "simulator/comparison.hpp"
#include "simulator/summary.hpp"

namespace crescendo::launch {

/// What a simulated sweep came to, as one object: times in seconds, the metric as trials report it.
OrderedJson summary_json(const simulator::Summary& summary, const SweepSpec& spec);

/// Improvements of the best metric: seconds, metric, trial, resource. At most `most_rows` of them, evenly over the
/// time.
Table best_table(const simulator::Summary& summary, const SweepSpec& spec, std::size_t most_rows);

/// Slots in use: seconds, slots.
Table use_table(const simulator::Summary& summary);

/// One row a policy; "±" columns hold half the width of the 95 % confidence interval.
Table comparison_table(const std::vector<simulator::Comparison>& policies, const SweepSpec& spec);

/// The same for people: "4985 ± 311".
std::string comparison_text(const std::vector<simulator::Comparison>& policies, const SweepSpec& spec);

/// Best metric and slots in use over the time: a picture (SVG) that needs nothing else.
std::string chart(const simulator::Summary& summary, const SweepSpec& spec);

}  // namespace crescendo::launch
