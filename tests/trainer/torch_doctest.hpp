#pragma once

// Torch also has a CHECK, which ends the program. Its header is included first, so that doctest's CHECK remains.
#include <c10/util/Logging.h>
#include <doctest/doctest.h>

#undef CHECK
#define CHECK DOCTEST_CHECK
