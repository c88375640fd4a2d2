#pragma once

#include <string>

namespace crescendo::launch {

/// Ends the last line of what an earlier process wrote, so that the next one begins its own. Returns whether it had no
/// end: that process may have been killed in the middle of it. Does nothing where the file is not there, or is no
/// regular one.
bool end_last_line(const std::string& path);

}  // namespace crescendo::launch
