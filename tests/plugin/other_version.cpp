/// A plug-in that was built for another version.

#include <crescendo/plugin.hpp>

extern "C" const crescendo_plugin_table* crescendo_plugin_entry() {
    static const crescendo_plugin_table table = {CRESCENDO_PLUGIN_ABI + 1, 0, nullptr};
    return &table;
}
