#pragma once

// Torch has a CHECK too, which ends the program. Its header is read here, so that doctest's is the one that stays.
#include <c10/util/Logging.h>
#include <doctest/doctest.h>

#undef CHECK
#define CHECK DOCTEST_CHECK
