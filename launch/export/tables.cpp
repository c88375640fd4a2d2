#include "launch/export/export_formats.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/trial_protocol.hpp"
#include "launch/display/column_names.hpp"
#include "launch/journal/cost.hpp"
#include "launch/view/trials_table.hpp"

namespace crescendo::launch {
namespace {

std::string reports_text(const History& history, Format format) {
    struct Row {
        TrialId trial;
        const TrialReport* report;
    };
    std::vector<Row> reports;
    std::set<std::string> metrics;
    for (const auto& trial : history.sweep().trials()) {
        for (const auto& report : history.of(trial.id).reports) {
            reports.push_back({trial.id, &report});
            for (const auto& [name, value] : report.metrics) {
                metrics.insert(name);
            }
        }
    }
    std::ranges::stable_sort(reports, {}, [](const Row& row) { return row.report->time; });

    std::vector<std::string> columns{"trial", "resource", "time", "seconds", "workers"};
    ColumnNames names(columns);
    for (const auto& name : metrics) {
        columns.push_back(names.take("metrics", name));
    }
    TableText table(std::move(columns), format);  // of many millions of cells in a large sweep
    for (const auto& [trial, report] : reports) {
        std::vector<Cell> row{std::int64_t{trial.value}, report->resource.value, report->time,
                              known_cell(report->seconds), std::int64_t{report->workers}};
        for (const auto& name : metrics) {
            row.push_back(known_cell(protocol::find_metric(report->metrics, name)));
        }
        table.add_row(row);
    }
    return std::move(table).take();
}

Exported tables(const ExportRequest& request, Format format, const std::string& extension) {
    const auto& history = request.sweep.history;
    const auto price = price_of_slot_hour(request.sweep.file.price, history);
    return {{{"trials" + extension, trials_table(history, price).print(format)},
             {"reports" + extension, reports_text(history, format)}}};
}

}  // namespace

Exported csv_tables(const ExportRequest& request) { return tables(request, Format::csv, ".csv"); }

Exported json_tables(const ExportRequest& request) { return tables(request, Format::json, ".json"); }

}  // namespace crescendo::launch
