#include "plugin/library.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace crescendo::plugin;

namespace {

std::string path_of(const std::string& name) { return CRESCENDO_PLUGINS "/test_plugin_" + name + ".so"; }

std::string error_of(const std::string& library) {
    try {
        load(library);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a library has the classes that CRESCENDO_PLUGIN lists") {
    const auto parts = load(path_of("mine"));

    REQUIRE(parts.size() == 3);
    CHECK(std::string(parts[0].name) == "climber");
    CHECK(std::string(kind_name(parts[0])) == "sampler");
    CHECK(std::string(kind_name(parts[1])) == "search space");
    CHECK(std::string(kind_name(parts[2])) == "stop rule");
    auto odd = parts[0];
    odd.kind = 9;
    CHECK_THROWS_WITH(kind_name(odd), "climber has a kind that this crescendo does not know (9)");
}

TEST_CASE("a library that is not a plug-in for this version is refused with the reason") {
    CHECK(error_of(path_of("other_version")).find("was built for version 2") != std::string::npos);
    CHECK(error_of(path_of("no_entry")).find("no crescendo_plugin_entry()") != std::string::npos);
    CHECK(error_of("/dev/null").find("cannot be loaded") != std::string::npos);
}
