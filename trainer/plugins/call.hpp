#pragma once

#include <string>

namespace crescendo::trainer {

/// While this lives, code of a plug-in runs. If it crashes, the last words of this process name the plug-in, or those
/// of the process that waits for this one (datasets::in_own_process).
class PluginCall {
  public:
    /// `words` go before "crashed": "the model mine of libmine.so, in forward()".
    explicit PluginCall(std::string words);
    PluginCall(const PluginCall&) = delete;
    PluginCall& operator=(const PluginCall&) = delete;
    ~PluginCall();

  private:
    std::string words_;
};

/// Call it in a `catch (...)`. What a plug-in threw becomes std::runtime_error with its words behind `who`, and a
/// Misfit becomes InvalidInput. Used-up memory is thrown on as it is.
[[noreturn]] void rethrow_of_plugin(const std::string& who, const char* function);

/// Runs code of the plug-in that `who` names, in its function `function`, for messages.
template <class Body>
auto call_plugin(const std::string& who, const char* function, Body&& body) {
    const PluginCall call(who + ", in " + function);
    try {
        return body();
    } catch (...) {
        rethrow_of_plugin(who, function);
    }
}

}  // namespace crescendo::trainer
