#include "launch/batch/job_request.hpp"

namespace crescendo::launch {

JobOptions JobOptions::over(const JobOptions& defaults) const {
    auto result = *this;
    for_each_field(settings(), [&](const auto& field) {
        auto& value = field.of(result);
        value = value ? value : field.of(defaults);
    });
    result.more.insert(result.more.begin(), defaults.more.begin(), defaults.more.end());
    return result;
}

void to_json(Json& json, const JobOptions& options) {
    json = Json::object();
    for_each_field(JobOptions::settings(), [&](const auto& field) {
        if (const auto& value = field.of(options)) {
            json[field.key] = *value;
        }
    });
    json["sbatch"] = options.more;  // a key from the time when Slurm was the only batch system
}

void from_json(const Json& json, JobOptions& options) {
    for_each_field(JobOptions::settings(), [&](const auto& field) {
        if (json.contains(field.key)) {
            json.at(field.key).get_to(field.of(options).emplace());
        }
    });
    options.more = json.value("sbatch", options.more);
}

}  // namespace crescendo::launch
