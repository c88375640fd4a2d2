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
        throw std::runtime_error(std::string(part.name) + " has a kind that this crescendo does not know (" +
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
                                      ? "link the library that defines the symbol"
                                      : "build it as a shared library for this machine"));
    }
    using Entry = const crescendo_plugin_table* (*)();
    const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "crescendo_plugin_entry"));
    const auto* const table = entry == nullptr ? nullptr : entry();
    if (table == nullptr) {
        throw std::runtime_error(
            "it has no crescendo_plugin_entry(), so it is not a plug-in; write CRESCENDO_PLUGIN(…) in one of its "
            "sources. Name plug-ins with models and losses in `trainer: {plugins: […]}`");
    }
    if (table->abi != CRESCENDO_PLUGIN_ABI) {
        throw std::runtime_error("it was built for version " + std::to_string(table->abi) +
                                 " of the interface in crescendo/plugin.hpp, but this crescendo has version " +
                                 std::to_string(CRESCENDO_PLUGIN_ABI) + "; rebuild it with this crescendo's header");
    }
    return {table->parts, table->parts + table->num_parts};
}

}  // namespace crescendo::plugin
