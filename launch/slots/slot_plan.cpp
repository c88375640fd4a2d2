#include "launch/slots/slot_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace crescendo::launch {
namespace {

/// Cores that are in no slot yet, by NUMA node, with neighbours next to each other.
class FreeCores {
  public:
    explicit FreeCores(const std::vector<Core>& cores) {
        for (const auto& core : cores) {
            by_numa_[core.numa].push_back(core);
        }
    }

    /// Takes cores from one NUMA node if any has enough: the preferred one, else the one with most free cores.
    std::vector<Core> take(std::size_t count, std::optional<int> preferred) {
        std::vector<Core> taken;
        if (preferred && num_free(*preferred) >= count) {
            take_from(*preferred, count, taken);
        }
        while (taken.size() < count) {
            take_from(roomiest(), count - taken.size(), taken);
        }
        return taken;
    }

  private:
    std::size_t num_free(int numa) const {
        const auto found = by_numa_.find(numa);
        return found == by_numa_.end() ? 0 : found->second.size();
    }

    int roomiest() const {
        return std::ranges::max_element(by_numa_, {}, [](const auto& each) { return each.second.size(); })->first;
    }

    void take_from(int numa, std::size_t most, std::vector<Core>& taken) {
        auto& cores = by_numa_.at(numa);
        const auto end = cores.begin() + static_cast<std::ptrdiff_t>(std::min(most, cores.size()));
        taken.insert(taken.end(), cores.begin(), end);
        cores.erase(cores.begin(), end);
    }

    std::map<int, std::vector<Core>> by_numa_;
};

/// The cores of each slot. Slots whose GPU has a known NUMA node choose first.
std::vector<std::vector<Core>> share_out(const std::vector<Core>& cores, std::size_t per_slot,
                                         const std::vector<std::optional<int>>& preferred) {
    FreeCores free(cores);
    std::vector<std::vector<Core>> result(preferred.size());
    for (const bool choosy : {true, false}) {
        for (std::size_t i = 0; i < preferred.size(); ++i) {
            if (preferred[i].has_value() == choosy) {
                result[i] = free.take(per_slot, preferred[i]);
            }
        }
    }
    return result;
}

void give_cores(SlotResources& slot, const std::vector<Core>& cores) {
    for (const auto& core : cores) {
        slot.cpus.insert(slot.cpus.end(), core.cpus.begin(), core.cpus.end());
    }
    std::ranges::sort(slot.cpus);
    if (std::ranges::all_of(cores, [&](const Core& core) { return core.numa == cores.front().numa; })) {
        slot.numa = cores.front().numa;
    }
}

/// Number of whole cores' worth of processor time that this process gets.
std::size_t num_busy_cores(const NodeResources& node) {
    const auto all = node.cores.size();
    return node.cpu_time && *node.cpu_time < static_cast<double>(all)
               ? std::max<std::size_t>(1, static_cast<std::size_t>(*node.cpu_time))
               : all;
}

/// Why slots must share cores with each other or with others; empty if each can have its own.
std::string obstacle(const NodeResources& node, Binding bind, std::size_t num_slots, std::size_t per_slot) {
    if (bind == Binding::off) {
        return "bind is off";
    }
    if (num_slots > node.cores.size()) {
        return "there are more slots than cores";
    }
    if (bind == Binding::automatic && num_busy_cores(node) < node.cores.size()) {
        return fmt::format("a CPU quota leaves this process the time of {:.3g} of the {} cores, on any of them",
                           *node.cpu_time, node.cores.size());
    }
    const bool spare_slot = (num_slots + 1) * per_slot <= node.cores.size();
    if (bind == Binding::automatic && spare_slot && !node.allotted) {
        return "some cores are left for others, who may be bound to the same ones; `bind: on` binds anyway";
    }
    return {};
}

}  // namespace

SlotPlan::Wishes SlotPlan::Wishes::with(const std::optional<int>& other_slots,
                                        const std::optional<int>& other_slots_per_gpu) const {
    auto result = *this;
    if (other_slots) {
        result.slots = other_slots;
    } else if (other_slots_per_gpu) {
        result.slots.reset();
        result.slots_per_gpu = *other_slots_per_gpu;
    }
    return result;
}

SlotPlan SlotPlan::make(const NodeResources& node, const Wishes& wishes) {
    const auto num_cores = num_busy_cores(node);
    const auto asked = static_cast<std::size_t>(wishes.cpus_per_slot);
    const auto on_gpus = node.gpus.size() * static_cast<std::size_t>(wishes.slots_per_gpu);
    const auto natural = node.gpus.empty() ? std::max<std::size_t>(1, num_cores / asked) : on_gpus;
    const auto num_slots = wishes.slots ? static_cast<std::size_t>(*wishes.slots) : natural;
    const auto share = std::max<std::size_t>(1, num_cores / num_slots);
    const auto per_slot = node.gpus.empty() ? std::min(asked, share) : share;

    SlotPlan plan;
    std::vector<std::optional<int>> preferred;
    for (std::size_t i = 0; i < num_slots; ++i) {
        const auto place = node.gpus.empty() ? 0 : i % node.gpus.size();
        const Gpu gpu = node.gpus.empty() ? Gpu{} : node.gpus[place];
        plan.slots.push_back({.gpu = gpu.name, .threads = static_cast<int>(per_slot)});
        if (!node.gpus.empty()) {
            plan.slots.back().slots_on_gpu = static_cast<int>((num_slots - place - 1) / node.gpus.size() + 1);
        }
        preferred.push_back(gpu.numa);
    }
    plan.unbound = obstacle(node, wishes.bind, num_slots, per_slot);
    if (plan.unbound.empty()) {
        auto cores = share_out(node.cores, per_slot, preferred);
        if (node.gpus.empty()) {  // consecutive slots are likely to train one trial: close together
            std::ranges::stable_sort(cores, {}, [](const auto& each) { return each.front().numa; });
        }
        for (std::size_t i = 0; i < num_slots; ++i) {
            give_cores(plan.slots[i], cores[i]);
        }
    }
    return plan;
}

void SlotPlan::unbind(const std::string& reason) {
    unbound = reason;
    for (auto& slot : slots) {
        slot.cpus.clear();
        slot.numa.reset();
    }
}

int num_shared_gpus(const std::vector<SlotResources>& slots) {
    std::set<std::string> gpus;
    for (const auto& slot : slots) {
        gpus.insert(slot.gpu);
    }
    const bool is_shared = std::ranges::any_of(slots, [](const auto& slot) { return slot.slots_on_gpu > 1; });
    return is_shared ? static_cast<int>(gpus.size()) : 0;
}

}  // namespace crescendo::launch
