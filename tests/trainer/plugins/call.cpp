#include "trainer/plugins/call.hpp"

#include <c10/util/Exception.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <stdexcept>

#include "core/check.hpp"
#include "datasets/system/own_process.hpp"
#include "trainer/plugins/crescendo/model_plugin.hpp"

using namespace crescendo;
using namespace crescendo::trainer;

namespace {

/// The error message when a plug-in's code throws `exception`.
template <class Exception>
std::string words_of(const Exception& exception) {
    try {
        call_plugin("the model mine", "forward()", [&]() -> int { throw exception; });
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("an exception from a plug-in names the plug-in and its function") {
    CHECK(words_of(std::logic_error("no such shape")) == "the model mine threw in forward(): no such shape");
    CHECK(words_of(17) == "the model mine threw in forward(): an exception that is not a std::exception");
    CHECK(words_of(plugin::Misfit("3 channels")) == "the model mine does not fit: 3 channels");
    CHECK(call_plugin("the model mine", "forward()", [] { return 3; }) == 3);
}

TEST_CASE("a plug-in's misfit becomes invalid input, and its out-of-memory errors pass through") {
    CHECK_THROWS_AS(call_plugin("mine", "f", []() -> int { throw plugin::Misfit("no"); }), InvalidInput);
    CHECK_THROWS_AS(call_plugin("mine", "f", []() -> int { throw std::bad_alloc(); }), std::bad_alloc);
    CHECK_THROWS_AS(call_plugin("mine", "f", []() -> int { throw c10::OutOfMemoryError({}, "no"); }),
                    c10::OutOfMemoryError);
}

TEST_CASE("a plug-in that ends the process is named, unless it has returned") {
    const auto in_call = datasets::in_own_process(
        "data.h5", [] { return call_plugin("the model mine", "its factory", []() -> int { ::_exit(3); }); });
    const auto behind_it = datasets::in_own_process(
        "data.h5", [] { return call_plugin("the model mine", "its factory", [] { return 3; }); });

    CHECK(in_call.is_early());
    CHECK(in_call.message() == "the model mine, in its factory called exit(3)");
    CHECK(behind_it.code == 3);
    CHECK_FALSE(behind_it.is_early());
}

TEST_CASE("a crash is blamed on a plug-in only while the plug-in runs") {
    const auto in_call = datasets::in_own_process(
        "data.h5", [] { return call_plugin("the model mine", "forward()", [] { return std::raise(SIGSEGV); }); });
    const auto behind_it = datasets::in_own_process("data.h5", [] {
        call_plugin("the model mine", "forward()", [] { return 0; });
        return std::raise(SIGSEGV);
    });

    CHECK(in_call.signal == SIGSEGV);
    CHECK(in_call.message() == "the model mine, in forward() crashed (Segmentation fault)");
    CHECK(behind_it.signal == SIGSEGV);
    CHECK(behind_it.message().starts_with("the HDF5 library crashed while reading data.h5"));
}
