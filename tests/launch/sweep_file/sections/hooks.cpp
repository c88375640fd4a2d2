#include "launch/sweep_file/sections/hooks.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sections/site_profile.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;

namespace {

Hooks hooks_in(const std::string& lines) {
    return parse_sweep(
               "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: asha, max: 9}\n" +
                   lines,
               "sweep.yaml")
        .hooks;
}

}  // namespace

TEST_CASE("hooks are lists of words, which stay unchanged") {
    const auto hooks = hooks_in("on_finish: [mail, -s, 'a b $x', me]\non_failure: [sh, -c, 'echo $CRESCENDO_SWEEP']\n");

    CHECK(hooks.on_finish == std::vector<std::string>{"mail", "-s", "a b $x", "me"});
    CHECK(hooks.on_failure.size() == 3);
    CHECK(hooks_in("").on_finish.empty());
}

TEST_CASE("messages about hooks name the line and the key, in both sweep files and site profiles") {
    CHECK(error_of([] { hooks_in("on_finish: []\n"); }).find("sweep.yaml:5:1: on_finish: names no program") == 0);
    CHECK(error_of([] { hooks_in("on_failure: mail me\n"); }).find("sweep.yaml:5:1: on_failure: ") == 0);
    CHECK(error_of([] {
              hooks_in("on_finish: [mail, $CRESCENDO_SWEEP]\n");
          }).find("sweep.yaml:5:19: on_finish[1]: is '$CRESCENDO_SWEEP', but no shell reads it") == 0);
    CHECK(error_of([] { parse_site_profile("on_finish: [3]\n", "site.yaml"); }).find("site.yaml:1:13: on_finish[0]") ==
          0);
    CHECK(parse_site_profile("on_finish: [mail]\n", "site.yaml").launcher.empty());
}
