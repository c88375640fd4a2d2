#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// How to write the command of a program that refused its arguments, by what argparse, click or getopt printed last.
/// Begins with a line feed; empty where nothing is known.
std::string advice_on_arguments(std::string_view last_words);

}  // namespace crescendo::launch
