#pragma once

namespace crescendo::launch {

/// Opens /dev/null for each standard stream that is closed. Otherwise the next file that is opened, such as a journal,
/// would get its descriptor, and printed text would go into that file.
void open_standard_streams();

}  // namespace crescendo::launch
