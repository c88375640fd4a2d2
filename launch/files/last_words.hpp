#pragma once

#include <cstdint>
#include <string>

namespace crescendo::launch {

/// Size in bytes of a log file, to which earlier processes may have written; 0 if there is no such file.
std::uintmax_t size_of_log(const std::string& log);

/// The end of a log file, for messages; nothing before byte `begin` is included. Empty if there is no such file.
std::string last_words(const std::string& log, std::uintmax_t begin = 0);

/// "last words: …" for messages, or a note that nothing was printed.
std::string quoted(const std::string& last_words);

}  // namespace crescendo::launch
