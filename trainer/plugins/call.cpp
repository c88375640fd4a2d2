#include "trainer/plugins/call.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/check.hpp"
#include "datasets/system/own_process.hpp"
#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/protocol/failure.hpp"

namespace crescendo::trainer {

namespace {

// Static, because a signal handler can access nothing else. Null while no plug-in runs.
std::atomic<const char*> running = nullptr;

/// The handler needs its own stack, because a plug-in with endless recursion fills the normal one.
std::array<char, 64 << 10> stack_of_handler;

void write_all(const char* words) { static_cast<void>(!::write(STDERR_FILENO, words, std::strlen(words))); }

/// Names the plug-in in a message. SA_RESETHAND has removed the handler by then, so the signal is raised again with its
/// default effect.
void say_who_crashed(int signal) {
    if (const char* words = running) {
        write_all(words);
        write_all(" crashed\n");
    }
    ::raise(signal);
}

void install_handler() {
    const stack_t stack{.ss_sp = stack_of_handler.data(), .ss_flags = 0, .ss_size = stack_of_handler.size()};
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = say_who_crashed;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace

PluginCall::PluginCall(std::string words) : words_(std::move(words)) {
    [[maybe_unused]] static const bool once = [] {
        install_handler();
        return true;
    }();
    const bool others_say_it = datasets::now_calling(words_);
    running = others_say_it ? nullptr : words_.c_str();
}

PluginCall::~PluginCall() {
    running = nullptr;
    datasets::now_calling("");
}

void rethrow_of_plugin(const std::string& who, const char* function) {
    std::string words = "an exception that is not a std::exception";
    try {
        throw;
    } catch (const plugin::Misfit& misfit) {
        throw InvalidInput(text("{} does not fit: {}", who, misfit.what()), "trainer.model");
    } catch (const std::exception&) {
        const auto failure = describe_failure();
        if (is_out_of_memory(failure)) {
            throw;
        }
        words = failure.message;
    } catch (...) {}
    throw std::runtime_error(text("{} threw in {}: {}", who, function, words));
}

}  // namespace crescendo::trainer
