#pragma once

namespace crescendo::launch {

// The files of launch/report/page/, which CMake embeds into the program, so that a page needs no other file.

extern const char* const page_style;   ///< page.css
extern const char* const page_script;  ///< all .js files, in one function

}  // namespace crescendo::launch
