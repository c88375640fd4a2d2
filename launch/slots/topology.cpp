#include "launch/slots/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace crescendo::launch {
namespace {

struct Release {
    void operator()(hwloc_topology_t topology) const { ::hwloc_topology_destroy(topology); }
    void operator()(hwloc_bitmap_t bitmap) const { ::hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Release>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Release>;

Topology new_topology() {
    hwloc_topology_t topology = nullptr;
    if (::hwloc_topology_init(&topology) != 0) {
        throw std::runtime_error("hwloc cannot be initialized");
    }
    return Topology(topology);
}

std::vector<int> members(hwloc_const_bitmap_t bitmap) {
    std::vector<int> result;
    for (int i = ::hwloc_bitmap_first(bitmap); i >= 0; i = ::hwloc_bitmap_next(bitmap, i)) {
        result.push_back(i);
    }
    return result;
}

Bitmap parse_list(const std::string& list) {
    Bitmap bitmap(::hwloc_bitmap_alloc());
    ::hwloc_bitmap_list_sscanf(bitmap.get(), list.c_str());
    return bitmap;
}

std::vector<Core> cores_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
    std::vector<Core> cores;
    const Bitmap usable(::hwloc_bitmap_alloc());
    // Some virtual machines show CPUs but no cores; then each CPU is a core.
    const bool has_cores = ::hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
    const auto type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    for (hwloc_obj_t core = nullptr; (core = ::hwloc_get_next_obj_by_type(topology, type, core)) != nullptr;) {
        ::hwloc_bitmap_and(usable.get(), core->cpuset, allowed);
        if (!::hwloc_bitmap_iszero(usable.get())) {
            cores.push_back({std::max(0, ::hwloc_bitmap_first(core->nodeset)), members(usable.get())});
        }
    }
    return cores;
}

}  // namespace

std::vector<Core> cores_of_this_machine() {
    const auto topology = new_topology();
    const Bitmap allowed(::hwloc_bitmap_alloc());
    if (::hwloc_topology_load(topology.get()) == 0 &&
        ::hwloc_get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_THREAD) == 0) {
        if (auto cores = cores_of(topology.get(), allowed.get()); !cores.empty()) {
            return cores;
        }
    }
    return {Core{}};  // the system hides its CPUs; assume one, without binding
}

std::vector<Core> cores_of(const std::string& synthetic, const std::string& allowed) {
    const auto topology = new_topology();
    if (::hwloc_topology_set_synthetic(topology.get(), synthetic.c_str()) != 0 ||
        ::hwloc_topology_load(topology.get()) != 0) {
        throw std::runtime_error(fmt::format("hwloc does not understand the machine '{}'", synthetic));
    }
    const auto cpus = parse_list(allowed);
    return cores_of(topology.get(),
                    allowed.empty() ? ::hwloc_topology_get_topology_cpuset(topology.get()) : cpus.get());
}

std::string list_text(const std::vector<int>& cpus) {
    const Bitmap bitmap(::hwloc_bitmap_alloc());
    for (const int cpu : cpus) {
        ::hwloc_bitmap_set(bitmap.get(), static_cast<unsigned>(cpu));
    }
    char* text = nullptr;
    ::hwloc_bitmap_list_asprintf(&text, bitmap.get());
    const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
    return text != nullptr ? text : "";
}

bool overlap(const std::string& list, const std::string& other) {
    return ::hwloc_bitmap_intersects(parse_list(list).get(), parse_list(other).get()) != 0;
}

}  // namespace crescendo::launch
