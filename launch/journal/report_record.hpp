#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trial_protocol.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// A report as a journal record. Nearly all records are reports, so reports, and the configurations of trials, are
/// written and read without a JSON value in between.
struct ReportRecord {
    protocol::Report report;
    double loss = 0;  ///< loss of the sweep's metric
    double time = 0;  ///< seconds since the epoch; the report's own seconds are the trial's clock

    TrialReported event() const {
        return {report.trial, report.resource, loss, report.seconds,
                {report.step_seconds, report.group_batch, report.noise_scale}};
    }
    void set_steps(const Steps& steps);
};

/// The members of the record's JSON object: `"event":"trial_reported","trial":3,…,"metrics":{"loss":0.31}`. Bytes of a
/// name that are not UTF-8 are replaced. `"clock":[41.203,3.1]` has the seconds of training and of evaluation; it is
/// short because a sweep may have millions of reports. `"generation":1` names the group whose step times these are.
std::string members_of(const ReportRecord& record);

/// Reads the output of members_of(). Returns nothing if members or formatting differ.
std::optional<ReportRecord> report_from(std::string_view members);

}  // namespace crescendo::launch
