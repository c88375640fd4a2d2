/// A shared library whose static initialization ends the process.

#include <cstdlib>

namespace {
const int never = (std::abort(), 0);
}

extern "C" int answer() { return never; }
