#include "plugin/library.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <stdexcept>

namespace crescendo::plugin {
namespace {

constexpr std::array kinds{"sampler", "search space", "stop rule"};

}  // namespace

const char* kind_name(const crescendo_part& part) {
    if (part.kind >= kinds.size()) {
        throw std::runtime_error(std::string(part.name) + " is of no kind that this crescendo knows (" +
                                 std::to_string(part.kind) + ")");
    }
    return kinds[part.kind];
}

std::vector<crescendo_part> load(const std::string& library) {
    // An absolute path, because the loader searches other folders for a name without '/'.
    void* const handle = ::dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const std::string why = ::dlerror();
        throw std::runtime_error("it cannot be loaded (" + why + "); " +
                                 (why.find("undefined symbol") != std::string::npos
                                      ? "link what defines the symbol into it"
                                      : "build it as a shared library, for this machine"));
    }
    using Entry = const crescendo_plugin_table* (*)();
    const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "crescendo_plugin_entry"));
    const auto* const table = entry == nullptr ? nullptr : entry();
    if (table == nullptr) {
        throw std::runtime_error(
            "it has no crescendo_plugin_entry(), so it is no plug-in; write CRESCENDO_PLUGIN(…) "
            "in one of its sources. Models and losses stand in `trainer: {plugins: […]}`");
    }
    if (table->abi != CRESCENDO_PLUGIN_ABI) {
        throw std::runtime_error("it was built for version " + std::to_string(table->abi) +
                                 " of the boundary in crescendo/plugin.hpp, and this crescendo has version " +
                                 std::to_string(CRESCENDO_PLUGIN_ABI) + "; build it with the header of this crescendo");
    }
    return {table->parts, table->parts + table->num_parts};
}

}  // namespace crescendo::plugin
