#include "trainer/training/progress.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace crescendo::trainer {

using nlohmann::json;

namespace {

double number_or_nan(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

void to_json(json& out, const Report& report) { out = {{"resource", report.resource}, {"metrics", report.metrics}}; }

void from_json(const json& in, Report& report) {
    in.at("resource").get_to(report.resource);
    report.metrics.clear();
    for (const auto& [name, value] : in.at("metrics").items()) report.metrics[name] = number_or_nan(value);
}

void to_json(json& out, const Progress& progress) {
    out = {{"epoch", progress.epoch},
           {"position", progress.position},
           {"step", progress.step},
           {"size", progress.size},
           {"rate", progress.rate},
           {"report", nullptr},
           {"report_pending", progress.report_pending},
           {"loss_sum", progress.loss_sum},
           {"loss_samples", progress.loss_samples}};
    if (progress.report) out["report"] = *progress.report;
}

void from_json(const json& in, Progress& progress) {
    in.at("epoch").get_to(progress.epoch);
    in.at("position").get_to(progress.position);
    in.at("step").get_to(progress.step);
    in.at("size").get_to(progress.size);
    in.at("rate").get_to(progress.rate);
    progress.report.reset();
    if (!in.at("report").is_null()) progress.report = in.at("report").get<Report>();
    in.at("report_pending").get_to(progress.report_pending);
    progress.loss_sum = number_or_nan(in.at("loss_sum"));
    in.at("loss_samples").get_to(progress.loss_samples);
}

}  // namespace crescendo::trainer
