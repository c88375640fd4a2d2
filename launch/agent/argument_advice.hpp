#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// Advice on how to write the command of a program that refused its arguments, based on the last output of argparse,
/// click or getopt. Begins with a line feed; empty if there is no advice.
std::string advice_on_arguments(std::string_view last_words);

}  // namespace crescendo::launch
