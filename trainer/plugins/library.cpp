#include "trainer/plugins/library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/check.hpp"
#include "trainer/plugins/call.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* initialization = "its initialization";
const std::string marker = CRESCENDO_MODEL_PLUGIN_MARKER;
const std::string our_label = CRESCENDO_MODEL_PLUGIN_LABEL;

/// Reads CRESCENDO_MODEL_PLUGIN_LABEL, the versions that the library was built for, from the file.
std::string read_label(const std::string& library) {
    std::ifstream file(library, std::ios::binary);
    CRESCENDO_VALIDATE(
        file && !std::filesystem::is_directory(library), "",
        "there is no file {}; give the path of a shared library, relative to the folder where crescendo is started",
        library);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto begin = bytes.find(marker);
    CRESCENDO_VALIDATE(
        begin != std::string::npos, "",
        "{} is not a plug-in with models or losses: it does not use CRESCENDO_MODEL_PLUGIN(…); write that in one of "
        "its sources. Name samplers and stop rules in `plugins` at the top of the sweep file",
        library);
    return bytes.substr(begin, bytes.find_first_of(std::string(";\0", 2), begin) + 1 - begin);
}

/// The versions in a label, as text: "version 1 of crescendo/model_plugin.hpp and torch 2.11.0".
std::string versions_in(const std::string& label) {
    return label.substr(marker.size(), label.size() - marker.size() - 1);
}

}  // namespace

const std::vector<plugin::Registration>& load_library(const std::string& library) {
    const auto label = read_label(library);
    CRESCENDO_VALIDATE(
        label == our_label, "",
        "{} was built for {}, but this crescendo-trainer has {}; rebuild it with the headers of this Crescendo",
        library, versions_in(label), versions_in(our_label));
    // An absolute path, because the loader searches other folders for a name without '/'.
    const std::string path = std::filesystem::absolute(library).string();
    void* const handle =
        call_plugin(library, initialization, [&] { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); });
    CRESCENDO_VALIDATE(handle != nullptr, "",
                       "{} cannot be loaded ({}); build it as a shared library, and link the libraries that it needs",
                       library, ::dlerror());
    using Entry = const std::vector<plugin::Registration>* (*)();
    const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "crescendo_model_plugin_entry"));
    CRESCENDO_VALIDATE(entry != nullptr, "",
                       "{} has no crescendo_model_plugin_entry(); write CRESCENDO_MODEL_PLUGIN(…) in one of its "
                       "sources, and keep its symbols visible",
                       library);
    return *call_plugin(library, initialization, entry);
}

}  // namespace crescendo::trainer
