#pragma once

namespace crescendo::launch {

/// Opens /dev/null in the place of each standard stream that is closed. Else the next file that is opened, such as a
/// journal, gets its descriptor, and what is printed is written into that file.
void open_standard_streams();

}  // namespace crescendo::launch
