/// A plug-in that needs a function that no library has.
#include <crescendo/model_plugin.hpp>

extern "C" int no_library_has_this();

CRESCENDO_MODEL_PLUGIN(crescendo::plugin::register_model("lost", [](const auto&, const auto&) {
    return no_library_has_this() == 0 ? nullptr : std::shared_ptr<crescendo::plugin::Model>();
}))
