/// A library that was built for a different version of torch.
extern "C" const char crescendo_model_plugin_label[] =
    "crescendo model plug-in: version 1 of crescendo/model_plugin.hpp and torch 2.4.1;";
extern "C" int crescendo_model_plugin_entry() { throw 1; }
