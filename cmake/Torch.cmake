# Defines torch::cpu and torch::cuda, from the folder of the `torch` wheel.
#
# The wheel's own find_package(Torch) insists on nvcc and fails with CMake 3.25, although a program that only links the
# libraries needs neither. A site with its own LibTorch sets CRESCENDO_TORCH_DIR to its folder, with include/ and lib/.

set(CRESCENDO_TORCH_DIR "$ENV{CRESCENDO_TORCH_DIR}" CACHE PATH "Folder of torch, with include/ and lib/")
if(NOT EXISTS "${CRESCENDO_TORCH_DIR}/include/torch/csrc/api/include/torch/torch.h")
  message(FATAL_ERROR
    "No LibTorch in CRESCENDO_TORCH_DIR=\"${CRESCENDO_TORCH_DIR}\" (no include/torch/csrc/api/include/torch/torch.h). "
    "Run scripts/install.sh; `scripts/install.sh torch-dir` prints the wheel's folder. Or use -DCRESCENDO_TORCH=OFF.")
endif()

set(torch_lib ${CRESCENDO_TORCH_DIR}/lib)
# The interpreter of the wheel's environment, for tests and benchmarks.
get_filename_component(torch_python ${CRESCENDO_TORCH_DIR}/../../../../bin/python3 ABSOLUTE)
# The wheel's CUDA libraries are separate packages, next to torch.
get_filename_component(torch_nvidia ${CRESCENDO_TORCH_DIR}/../nvidia ABSOLUTE)

find_path(GLOO_INCLUDE_DIR gloo/context.h DOC "Headers of Gloo; its code is inside libtorch_cpu")
if(NOT GLOO_INCLUDE_DIR)
  message(FATAL_ERROR
    "No headers of Gloo (gloo/context.h), with which workers on CPUs communicate; LibTorch has its code, but not its "
    "headers. Install libgloo-dev (scripts/install.sh does), set -DGLOO_INCLUDE_DIR to the folder that holds gloo/, or "
    "use -DCRESCENDO_TORCH=OFF.")
endif()

add_library(torch::cpu INTERFACE IMPORTED)
target_include_directories(torch::cpu SYSTEM INTERFACE
  ${CRESCENDO_TORCH_DIR}/include ${CRESCENDO_TORCH_DIR}/include/torch/csrc/api/include ${GLOO_INCLUDE_DIR})
target_compile_definitions(torch::cpu INTERFACE USE_C10D_GLOO USE_DISTRIBUTED)
# --no-as-needed: operators register themselves when the library is loaded; nothing refers to them by name.
include(${CMAKE_CURRENT_LIST_DIR}/TorchCuda.cmake)
torch_cuda_packages(${CRESCENDO_TORCH_DIR} ${torch_nvidia} torch_cuda)
list(TRANSFORM torch_cuda_PACKAGES REPLACE "(.+)" "LINKER:-rpath-link,\\1/lib" OUTPUT_VARIABLE torch_cuda_rpath_links)
target_link_options(torch::cpu INTERFACE ${torch_cuda_rpath_links} LINKER:-rpath,${torch_lib})
target_link_libraries(torch::cpu INTERFACE
  "-Wl,--push-state,--no-as-needed" ${torch_lib}/libtorch_cpu.so ${torch_lib}/libc10.so "-Wl,--pop-state" Threads::Threads)

# A CPU-only torch, or a wheel without the packages of its CUDA libraries, has no torch::cuda. Headers and runtime must
# be of torch's own CUDA version: those of another version compile, but fail on the GPU.
set(cuda_toolkits /usr/local/cuda-${torch_cuda_VERSION} /usr/local/cuda-${torch_cuda_MAJOR} /usr/local/cuda)
list(TRANSFORM cuda_toolkits APPEND /include OUTPUT_VARIABLE cuda_toolkit_includes)
list(TRANSFORM torch_cuda_PACKAGES APPEND /include OUTPUT_VARIABLE torch_cuda_includes)
find_path(CUDA_RUNTIME_INCLUDE_DIR cuda_runtime_api.h
  HINTS ${torch_cuda_RUNTIME}/include PATHS ${cuda_toolkit_includes})
find_path(CUDA_CRT_INCLUDE_DIR crt/host_defines.h HINTS ${torch_cuda_includes} PATHS ${cuda_toolkit_includes})
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${torch_nvidia}/nccl/include DOC "Headers of NCCL, for a test")
list(TRANSFORM cuda_toolkits APPEND /lib64 OUTPUT_VARIABLE cuda_toolkit_libs)
find_library(CUDA_RUNTIME_LIBRARY NAMES libcudart.so.${torch_cuda_MAJOR}
  HINTS ${torch_cuda_RUNTIME}/lib PATHS ${cuda_toolkit_libs})
set(torch_cuda_missing "")  # why there is no torch::cuda, for the message
if(NOT EXISTS ${torch_lib}/libtorch_cuda.so)
  set(torch_cuda_missing "this torch supports only CPUs")
elseif(NOT CUDA_RUNTIME_INCLUDE_DIR OR NOT CUDA_RUNTIME_LIBRARY)
  set(torch_cuda_missing "torch was built for CUDA ${torch_cuda_VERSION}, whose runtime is not installed next to it")
elseif(NOT CUDA_CRT_INCLUDE_DIR)
  set(torch_cuda_missing
    "no crt/host_defines.h; install the CUDA ${torch_cuda_VERSION} toolkit, or its wheel with the compiler's headers")
else()
  torch_cuda_header_major(${CUDA_RUNTIME_INCLUDE_DIR} cuda_header_major)
  if(NOT cuda_header_major STREQUAL torch_cuda_MAJOR)
    string(CONCAT torch_cuda_missing "this torch was built for CUDA ${torch_cuda_VERSION}, but "
      "${CUDA_RUNTIME_INCLUDE_DIR} is of CUDA ${cuda_header_major}")
  endif()
endif()
if(NOT torch_cuda_missing)
  get_filename_component(cuda_runtime_lib ${CUDA_RUNTIME_LIBRARY} DIRECTORY)
  add_library(torch::cuda INTERFACE IMPORTED)
  target_include_directories(torch::cuda SYSTEM INTERFACE
    ${CUDA_RUNTIME_INCLUDE_DIR} ${torch_cuda_includes})
  # After the others, because a toolkit's folder also has headers of the wheel's libraries.
  target_compile_options(torch::cuda INTERFACE "SHELL:-idirafter \"${CUDA_CRT_INCLUDE_DIR}\"")
  target_link_options(torch::cuda INTERFACE ${torch_cuda_rpath_links} LINKER:-rpath,${cuda_runtime_lib})
  target_link_libraries(torch::cuda INTERFACE torch::cpu
    "-Wl,--push-state,--no-as-needed" ${torch_lib}/libtorch_cuda.so ${torch_lib}/libc10_cuda.so "-Wl,--pop-state"
    ${CUDA_RUNTIME_LIBRARY})
endif()
