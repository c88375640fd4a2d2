#include "launch/sweep_file/sections/repeating.hpp"

namespace crescendo::launch {

Repeat read_repeat(const YamlSection& file) {
    Repeat repeat;
    if (!file.has("repeat")) {
        return repeat;
    }
    if (file.at("repeat").is_number_integer()) {
        repeat.times = file.small_integer("repeat").value_or(repeat.times);
        return repeat;
    }
    const auto section = file.section("repeat", "3, or {times: 3, judge: worst}").value();
    section.allow({"times", "judge"});
    if (!section.has("times")) {
        section.fail("times", "is missing: it sets how many times a configuration is trained; add times: 3");
    }
    repeat.times = section.small_integer("times").value_or(repeat.times);
    repeat.judge = section.choice("judge", judges).value_or(repeat.judge);
    return repeat;
}

}  // namespace crescendo::launch
