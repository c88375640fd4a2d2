#include "launch/agent/program_work.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/files/durable_file.hpp"
#include "core/trial_protocol.hpp"
#include "launch/messages/trial_files.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* hosts_variable = "CRESCENDO_HOSTS";
constexpr const char* batch_multiple_variable = "CRESCENDO_BATCH_MULTIPLE";

std::string hosts_file(const protocol::Join& join) { return join.directory + "/hosts"; }

const MeetingPlace& place_of(SlotId slot, const WorkerOptions& options) {
    return options.places.at(static_cast<std::size_t>(slot.value));
}

}  // namespace

std::string ProgramWork::log() const { return join().directory + "/" + trial_files::log; }

std::vector<std::pair<std::string, std::string>> environment_of(const ProgramWork& work, SlotId slot,
                                                                const WorkerOptions& options) {
    const auto& [order, rank] = work;
    const auto& join = order.join;
    auto result = device_environment(options, slot);
    result.insert(result.end(), {{protocol::trial_variable, std::to_string(join.trial.value)},
                                 {protocol::seed_variable, std::to_string(join.seed)},
                                 {protocol::directory_variable, join.directory},
                                 {batch_multiple_variable, std::to_string(join.batch.multiple)}});
    if (join.max_resource < unlimited_resource) {
        result.emplace_back(protocol::max_resource_variable, std::to_string(join.max_resource.value));
    }
    if (!options.setup.supervision.metric.empty()) {
        result.emplace_back(protocol::metric_variable, options.setup.supervision.metric);
    }
    int local_rank = 0;
    auto local_size = order.members.size();
    std::vector<std::string> gpus;  // of all members here, as for torchrun: LOCAL_RANK is an index
    for (std::size_t i = 0; i < order.members.size(); ++i) {
        const auto& gpu = resources_of(options, order.members[i].slot).gpu;
        if (!gpu.empty() && std::ranges::find(gpus, gpu) == gpus.end()) {  // CUDA rejects duplicates
            gpus.push_back(gpu);
        }
        local_rank = order.members[i].slot == slot ? static_cast<int>(i) : local_rank;
    }
    if (const auto& own = resources_of(options, slot).gpu; own.starts_with("MIG-")) {
        gpus = {own};  // CUDA shows a process only one MIG device
        local_rank = 0;
        local_size = 1;
    }
    if (!gpus.empty()) {
        std::erase_if(result, [](const auto& variable) { return variable.first == "CUDA_VISIBLE_DEVICES"; });
        result.emplace_back("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")));
    }
    const MeetingPlace nowhere{"", "127.0.0.1", 0};
    const auto& place = order.slots.empty() ? nowhere : place_of(order.slots.front(), options);
    result.insert(result.end(), {{"RANK", std::to_string(rank)},
                                 {"LOCAL_RANK", std::to_string(local_rank)},
                                 {"WORLD_SIZE", std::to_string(join.size)},
                                 {"LOCAL_WORLD_SIZE", std::to_string(local_size)},
                                 {"MASTER_ADDR", place.address},
                                 {"MASTER_PORT", std::to_string(place.port)}});
    if (join.size > 1) {
        result.emplace_back(hosts_variable, hosts_file(join));
    }
    return result;
}

void write_hosts(const ProgramWork& work, const WorkerOptions& options) {
    if (work.rank > 0 || work.order.slots.size() < 2) {
        return;
    }
    std::vector<std::pair<std::string, int>> hosts;
    for (const auto each : work.order.slots) {
        const auto& host = place_of(each, options).host;
        auto line = std::ranges::find(hosts, host, &std::pair<std::string, int>::first);
        if (line == hosts.end()) {
            line = hosts.insert(line, {host, 0});
        }
        ++line->second;
    }
    std::string text;
    for (const auto& [host, count] : hosts) {
        text += fmt::format("{} slots={}\n", host, count);
    }
    replace_file(hosts_file(work.join()), text, Durability::none);
}

}  // namespace crescendo::launch
