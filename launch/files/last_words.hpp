#pragma once

#include <cstdint>
#include <string>

namespace crescendo::launch {

/// Bytes of a log file, which earlier processes have printed; 0 if there is no such file.
std::uintmax_t size_of_log(const std::string& log);

/// The end of a log file, for messages, and no more than what is behind its first `begin` bytes. Empty if there is no
/// such file.
std::string last_words(const std::string& log, std::uintmax_t begin = 0);

/// "last words: …" for messages, or that there are none.
std::string quoted(const std::string& last_words);

}  // namespace crescendo::launch
