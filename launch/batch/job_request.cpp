#include "launch/batch/job_request.hpp"

#include <cstdint>

namespace crescendo::launch {
namespace {

template <class T>
void put(Json& json, const char* name, const std::optional<T>& value) {
    if (value) {
        json[name] = *value;
    }
}

template <class T>
void get(const Json& json, const char* name, std::optional<T>& value) {
    if (json.contains(name)) {
        value = json.at(name).get<T>();
    }
}

}  // namespace

JobOptions JobOptions::over(const JobOptions& defaults) const {
    auto result = *this;
    const auto fill = [](auto& value, const auto& preset) { value = value ? value : preset; };
    fill(result.nodes, defaults.nodes);
    fill(result.time, defaults.time);
    fill(result.partition, defaults.partition);
    fill(result.account, defaults.account);
    fill(result.gpus_per_node, defaults.gpus_per_node);
    fill(result.cpus_per_task, defaults.cpus_per_task);
    fill(result.slots_per_gpu, defaults.slots_per_gpu);
    result.more.insert(result.more.begin(), defaults.more.begin(), defaults.more.end());
    return result;
}

void to_json(Json& json, const JobOptions& options) {
    json = Json::object();
    put(json, "nodes", options.nodes);
    put(json, "time_seconds", options.time ? std::optional(options.time->count()) : std::nullopt);
    put(json, "partition", options.partition);
    put(json, "account", options.account);
    put(json, "gpus_per_node", options.gpus_per_node);
    put(json, "cpus_per_task", options.cpus_per_task);
    put(json, "slots_per_gpu", options.slots_per_gpu);
    json["sbatch"] = options.more;  // the name that it had when Slurm was the only batch system
}

void from_json(const Json& json, JobOptions& options) {
    get(json, "nodes", options.nodes);
    if (json.contains("time_seconds")) {
        options.time = std::chrono::seconds(json.at("time_seconds").get<std::int64_t>());
    }
    get(json, "partition", options.partition);
    get(json, "account", options.account);
    get(json, "gpus_per_node", options.gpus_per_node);
    get(json, "cpus_per_task", options.cpus_per_task);
    get(json, "slots_per_gpu", options.slots_per_gpu);
    options.more = json.value("sbatch", options.more);
}

}  // namespace crescendo::launch
