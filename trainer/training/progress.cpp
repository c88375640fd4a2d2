#include "trainer/training/progress.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/message_json.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

double number_or_nan(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// A checkpoint keeps only what of a report is the same whenever the sweep is repeated.
json kept_of(const Report& report) {
    return {{"resource", report.resource.value}, {"metrics", protocol::ValueWriter<json>()(report.metrics)}};
}

constexpr auto kept_fields() {
    return std::tuple(Field{"resource", &Report::resource}, Field{"metrics", &Report::metrics});
}

}  // namespace

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
    if (progress.report) {
        out["report"] = kept_of(*progress.report);
    }
}

void from_json(const json& in, Progress& progress) {
    in.at("epoch").get_to(progress.epoch);
    in.at("position").get_to(progress.position);
    in.at("step").get_to(progress.step);
    in.at("size").get_to(progress.size);
    in.at("rate").get_to(progress.rate);
    progress.report.reset();
    if (const auto& report = in.at("report"); !report.is_null()) {
        progress.report = protocol::read<Report>(report, kept_fields());
    }
    in.at("report_pending").get_to(progress.report_pending);
    progress.loss_sum = number_or_nan(in.at("loss_sum"));
    in.at("loss_samples").get_to(progress.loss_samples);
}

}  // namespace crescendo::trainer
