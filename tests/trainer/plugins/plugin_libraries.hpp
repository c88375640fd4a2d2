#pragma once

#include <string>

#include "tests/error_of.hpp"
#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer::test {

/// Path of a plug-in that the tests have built: "mine" of examples/plugin-model, "trouble", …
inline std::string plugin_library(const std::string& name) { return std::string(CRESCENDO_PLUGINS "/") + name + ".so"; }

/// Images of the tests, to be told apart into four classes.
inline Task four_classes() { return {.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 4, .num_samples = 96}; }

/// The same images, with two numbers to predict.
inline Task two_numbers() {
    return {.kind = Task::Kind::regression,
            .input_shape = {8, 8},
            .target_shape = {2},
            .num_outputs = 2,
            .num_samples = 96};
}

/// The only problem as "key: message"; empty if there is none.
inline std::string text_of(const std::vector<Problem>& problems) {
    return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
}

inline bool has(const std::string& words, const std::string& part) { return words.find(part) != std::string::npos; }

}  // namespace crescendo::trainer::test
