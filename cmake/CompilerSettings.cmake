set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Older compilers fail in mid-build, with messages that do not help. SLES 15's own GCC is 7.
if((CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16))
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, which lacks "
                      "parts of C++20 that Crescendo uses. It needs GCC 11 or Clang 16, or newer. On a cluster, load such "
                      "a module (`module avail gcc`), remove the build folder, ${CMAKE_BINARY_DIR}, and call make again. "
                      "If CMake does not find the module's compiler, set CC and CXX.")
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# All binaries are in one folder, so that `crescendo` finds its trainer next to itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# With the compiler of our tests, a warning is an error. Other compilers can have more warnings, and still build.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON CACHE BOOL "Whether a compiler's warning ends the build")
endif()

# Floating-point contraction differs between compilers and optimization levels; decisions must not.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                    -Wnon-virtual-dtor -Woverloaded-virtual -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL IntelLLVM)
  add_compile_options(-fp-model=precise)  # its default assumes that there are no NaNs
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options(-Wno-string-conversion)  # CRESCENDO_EXPECT(!"what never happens")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # GCC bug 105329: false alarm for std::string + std::string
endif()

if(CRESCENDO_SANITIZE)
  add_compile_options(-fsanitize=${CRESCENDO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CRESCENDO_SANITIZE})
endif()

find_package(Threads REQUIRED)
