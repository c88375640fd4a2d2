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

/// Adds a line feed to a file if its last line lacks one, so that the next process begins its own line. Returns whether
/// it was missing: an earlier process may have been killed in the middle of the line. Does nothing if the file is
/// missing or is not a regular file.
bool end_last_line(const std::string& path);

}  // namespace crescendo::launch
