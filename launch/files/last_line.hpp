#pragma once

#include <string>

namespace crescendo::launch {

/// Adds a line feed to a file if its last line lacks one, so that the next process begins its own line. Returns whether
/// it was missing: an earlier process may have been killed in the middle of the line. Does nothing if the file is
/// missing or is not a regular file.
bool end_last_line(const std::string& path);

}  // namespace crescendo::launch
