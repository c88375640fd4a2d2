#pragma once

#include <string>

#include "tests/error_of.hpp"
#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer::test {

/// The path of a plug-in that is built for the tests: "mine" from examples/plugin-model, "trouble", …
inline std::string plugin_library(const std::string& name) { return std::string(CRESCENDO_PLUGINS "/") + name + ".so"; }

/// A task with the tests' images in four classes.
inline Task four_classes() { return {.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 4, .num_samples = 96}; }

/// A task with the same images and two numbers to predict.
inline Task two_numbers() {
    return {.kind = Task::Kind::regression,
            .input_shape = {8, 8},
            .target_shape = {2},
            .num_outputs = 2,
            .num_samples = 96};
}

/// The first problem as "key: message"; empty if there is none.
inline std::string text_of(const std::vector<Problem>& problems) {
    return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
}

inline bool has(const std::string& words, const std::string& part) { return words.find(part) != std::string::npos; }

}  // namespace crescendo::trainer::test
