/// A plug-in whose registration misbehaves in the way given by the environment variable ODD_PLUGIN.
#include <crescendo/model_plugin.hpp>
#include <cstdlib>

namespace {

using namespace crescendo::plugin;

Registration odd() {
    const char* const given = std::getenv("ODD_PLUGIN");
    const std::string way = given != nullptr ? given : "";
    const ModelFactory no_model = [](const Config&, const Task&) { return nullptr; };
    if (way == "throws") {
        throw std::runtime_error("no licence");
    }
    if (way == "dies") {
        std::abort();
    }
    if (way == "takes a name") {
        return register_model("mlp", no_model);
    }
    if (way == "has a bad default") {
        return register_model("odd", no_model, {integer("width", 0, 1, 64)});
    }
    return register_model("", no_model);
}

}  // namespace

CRESCENDO_MODEL_PLUGIN(odd())
