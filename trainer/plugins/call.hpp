#pragma once

#include <string>

namespace crescendo::trainer {

/// Marks that code of a plug-in runs while this lives. If the code crashes, the last message of this process, or of the
/// process that waits for it (datasets::in_own_process), names the plug-in.
class PluginCall {
  public:
    /// `words` precede "crashed" in that message: "the model mine of libmine.so, in forward()".
    explicit PluginCall(std::string words);
    PluginCall(const PluginCall&) = delete;
    PluginCall& operator=(const PluginCall&) = delete;
    ~PluginCall();

  private:
    std::string words_;
};

/// Call it in a `catch (...)`. Turns an exception of a plug-in into std::runtime_error with the message after `who`,
/// and a Misfit into InvalidInput. Rethrows out-of-memory errors unchanged.
[[noreturn]] void rethrow_of_plugin(const std::string& who, const char* function);

/// Runs code of a plug-in. Error messages name the plug-in `who` and its function `function`.
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
