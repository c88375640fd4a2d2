#include "launch/commands/latency_bench.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/message_json.hpp"
#include "launch/commands/validators.hpp"
#include "launch/process/program_paths.hpp"
#include "launch/trainers/trial_work.hpp"

namespace crescendo::launch {
namespace {

constexpr int num_warm_ups = 100;

}  // namespace

LatencyBench::LatencyBench(const RecordedSweep& sweep, Options options)
    : sweep_(sweep), options_(std::move(options)), hardware_(hardware_name()) {
    const auto& file = sweep.file;
    if (!file.trainer) {
        file.source.fail(file.source.has("command") ? "command" : "program",
                         "crescendo cannot run the model of another program; it measures the latency of models that "
                         "crescendo-trainer trained");
    }
    if (!file.trainer->contains("data") || !file.trainer->at("data").contains(options_.data)) {
        file.source.fail("trainer.data",
                         fmt::format("has no {} samples; {}", options_.data,
                                     options_.data == "test" ? "add --data validation to use the validation samples"
                                                             : "leave out --data to use the test samples"));
    }
}

LatencyRecord LatencyBench::blank(TrialId trial) const {
    return {.latency = {.trial = trial},
            .resource = sweep_.history.sweep().trial(trial).resource,
            .data = options_.data,
            .threads = options_.threads,
            .hardware = hardware_};
}

std::optional<LatencyRecord> LatencyBench::known(TrialId trial) const {
    auto kept = read_latency(sweep_.directory, trial);
    return kept && kept->is_like(blank(trial)) ? std::move(kept) : std::nullopt;
}

LatencyRecord LatencyBench::measure(TrialId trial, Weights weights) {
    sweep_.directory.require_writable();
    if (!trainer_) {
        trainer_ =
            std::make_unique<IdleTrainers>(IdleTrainers::Options{.program = ProgramPaths::find().trainer,
                                                                 .directory = sweep_.directory.working_directory(),
                                                                 .slots = {IdleTrainers::idle_slot(options_.threads)},
                                                                 .patience = sweep_.file.supervision.hang_timeout});
    }
    protocol::MeasureLatency order{
        evaluation_of(trial, options_.data, sweep_.history.sweep(), sweep_.file, sweep_.directory), num_warm_ups};
    if (weights == Weights::random) {
        order.checkpoint.clear();
    }
    auto record = blank(trial);
    try {
        record.latency = protocol::read<protocol::Latency>(
            trainer_->ask({protocol::write<Json>(order)}, protocol::Latency::name).front());
    } catch (...) {
        trainer_.reset();
        throw;
    }
    record.latency.trial = trial;
    write_latency(sweep_.directory, record);
    return record;
}

std::string latency_text(const LatencyRecord& record, std::optional<double> price_of_slot_hour, Format format) {
    const auto& latency = record.latency;
    OrderedJson json{{"trial", latency.trial.value}, {"data", record.data},         {"samples", latency.samples},
                     {"threads", record.threads},    {"hardware", record.hardware}, {"mean_ms", latency.mean * 1e3},
                     {"p50_ms", latency.p50 * 1e3},  {"p99_ms", latency.p99 * 1e3}};
    for (const auto& [name, value] : latency.metrics) {
        json[name] = value;
    }
    if (price_of_slot_hour) {
        json["cost_of_10000"] = 10'000 * latency.mean / 3600 * *price_of_slot_hour;
    }
    if (format == Format::json) {
        return json.dump(2) + "\n";
    }
    std::vector<std::string> names;
    std::vector<Cell> cells;
    Table lines({"what", "value"});
    for (const auto& [name, value] : json.items()) {
        names.push_back(name);
        cells.push_back(cell_from(value));
        lines.add_row({name, cells.back()});
    }
    if (format == Format::table) {
        return lines.print(format);
    }
    Table row(names);
    row.add_row(cells);
    return row.print(format);
}

std::vector<CLI::Option*> add_latency_options(CLI::App& command, LatencyBench::Options& options) {
    auto* data = command.add_option("--data", options.data, "Samples to use: test or validation")
                     ->check(CLI::IsMember({"test", "validation"}))
                     ->capture_default_str();
    auto* threads = command.add_option("--threads", options.threads, "Compute threads")
                        ->check(number_of_threads())
                        ->capture_default_str();
    return {data, threads};
}

}  // namespace crescendo::launch
