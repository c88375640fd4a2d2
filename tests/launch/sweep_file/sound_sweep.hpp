#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

namespace crescendo::tests {

/// A sweep file without mistakes, of nine lines.
inline const std::string sound = R"(metric: {name: val_loss, goal: minimize}
run_cap: 27
parameters:
  lr: {distribution: log_uniform_values, min: 1e-4, max: 0.3}
scheduler:
  type: asha
  min: 1
  max: 27
  reduction_factor: 3
)";

/// The sound file with more lines.
inline launch::SweepFile parse(const std::string& more = "") { return launch::parse_sweep(sound + more, "sweep.yaml"); }

inline std::string error_in(const std::string& text) {
    return error_of([&] { launch::parse_sweep(text, "sweep.yaml"); });
}

/// The sound file with one change.
inline std::string sound_with(const std::string& what, const std::string& by) {
    auto text = sound;
    REQUIRE(text.find(what) != std::string::npos);
    return text.replace(text.find(what), what.size(), by);
}

inline std::string sound_with_parameter(const std::string& parameter) {
    return sound_with("lr: {distribution: log_uniform_values, min: 1e-4, max: 0.3}", parameter);
}

/// Checks that each text has its error.
inline void check_errors(const std::vector<std::pair<std::string, std::string>>& cases) {
    for (const auto& [text, error] : cases) {
        CAPTURE(text);
        CHECK(error_in(text) == error);
    }
}

}  // namespace crescendo::tests
