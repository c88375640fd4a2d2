/// A shared library that is not a plug-in.

extern "C" int answer() { return 42; }
