#include "trainer/step/progress.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace crescendo::trainer {

using nlohmann::json;

namespace {

double number_or_nan(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

double used(const Progress& progress, ResourceUnit unit, std::int64_t samples_per_epoch) {
    const auto samples = static_cast<double>(samples_per_epoch);
    const double epochs = static_cast<double>(progress.epoch) + static_cast<double>(progress.position) / samples;
    switch (unit) {
        case ResourceUnit::epochs:
            return epochs;
        case ResourceUnit::steps:
            return static_cast<double>(progress.step);
        case ResourceUnit::samples:
            return epochs * samples;
        case ResourceUnit::seconds:
            return progress.seconds;
    }
    return epochs;
}

std::int64_t reached(const Progress& progress, const ReportInterval& interval, std::int64_t samples_per_epoch,
                     std::int64_t most) {
    std::int64_t used = 0;
    switch (interval.unit) {
        case ResourceUnit::epochs:
            used = progress.epoch;
            break;
        case ResourceUnit::steps:
            used = progress.step;
            break;
        case ResourceUnit::samples:
            used = progress.epoch * samples_per_epoch + progress.position;
            break;
        case ResourceUnit::seconds:
            used = static_cast<std::int64_t>(std::floor(progress.seconds));
            break;
    }
    return used >= most ? most : used / interval.every * interval.every;
}

std::optional<double> samples_in(ResourceUnit unit, std::int64_t samples_per_epoch, std::int64_t group_batch) {
    switch (unit) {
        case ResourceUnit::epochs:
            return samples_per_epoch;
        case ResourceUnit::steps:
            return group_batch;
        case ResourceUnit::samples:
            return 1;
        case ResourceUnit::seconds:
            return std::nullopt;
    }
    return std::nullopt;
}

void to_json(json& out, const Report& report) {
    out = {{"resource", report.resource},
           {"metrics", report.metrics},
           {"seconds", report.seconds},
           {"evaluated", report.evaluated}};
}

void from_json(const json& in, Report& report) {
    in.at("resource").get_to(report.resource);
    report.metrics.clear();
    for (const auto& [name, value] : in.at("metrics").items()) {
        report.metrics[name] = number_or_nan(value);
    }
    report.seconds = in.value("seconds", 0.0);  // checkpoints of 0.1.0 have no clock
    report.evaluated = in.value("evaluated", 0.0);
}

void to_json(json& out, const Progress& progress) {
    out = {{"epoch", progress.epoch},
           {"position", progress.position},
           {"step", progress.step},
           {"size", progress.size},
           {"rate", progress.rate},
           {"seconds", progress.seconds},
           {"evaluated", progress.evaluated},
           {"report", nullptr},
           {"report_pending", progress.report_pending},
           {"loss_sum", progress.loss_sum},
           {"loss_samples", progress.loss_samples},
           {"noise_scale", progress.noise_scale},
           {"loss_scale", progress.loss_scale}};
    if (progress.report) {
        out["report"] = *progress.report;
    }
}

void from_json(const json& in, Progress& progress) {
    in.at("epoch").get_to(progress.epoch);
    in.at("position").get_to(progress.position);
    in.at("step").get_to(progress.step);
    in.at("size").get_to(progress.size);
    in.at("rate").get_to(progress.rate);
    progress.seconds = in.value("seconds", 0.0);
    progress.evaluated = in.value("evaluated", 0.0);
    progress.report.reset();
    if (!in.at("report").is_null()) {
        progress.report = in.at("report").get<Report>();
    }
    in.at("report_pending").get_to(progress.report_pending);
    progress.loss_sum = number_or_nan(in.at("loss_sum"));
    in.at("loss_samples").get_to(progress.loss_samples);
    progress.noise_scale = in.value("noise_scale", NoiseScale());  // checkpoints of 0.1.0 have neither
    progress.loss_scale = in.value("loss_scale", LossScale());
}

}  // namespace crescendo::trainer
