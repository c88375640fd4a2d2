# torch::cpu and torch::cuda, from the folder of the `torch` wheel.
#
# The wheel's own find_package(Torch) insists on nvcc and stops with CMake 3.25, although a
# program that only links the libraries needs neither. A site with a LibTorch of its own points
# CRESCENDO_TORCH_DIR at it: the folder that holds include/ and lib/.

set(CRESCENDO_TORCH_DIR "$ENV{CRESCENDO_TORCH_DIR}" CACHE PATH "Folder of torch: the one that holds include/ and lib/")
if(NOT EXISTS "${CRESCENDO_TORCH_DIR}/include/torch/csrc/api/include/torch/torch.h")
  message(FATAL_ERROR
    "No LibTorch in CRESCENDO_TORCH_DIR=\"${CRESCENDO_TORCH_DIR}\" (no include/torch/csrc/api/include/torch/torch.h). "
    "Run scripts/install.sh, which prints the folder of the wheel it installed, or use -DCRESCENDO_TORCH=OFF.")
endif()

set(torch_lib ${CRESCENDO_TORCH_DIR}/lib)
# The interpreter of the environment that the wheel is installed in, for tests.
get_filename_component(torch_python ${CRESCENDO_TORCH_DIR}/../../../../bin/python3 ABSOLUTE)
# The wheel's CUDA libraries are packages of their own, beside torch.
get_filename_component(torch_nvidia ${CRESCENDO_TORCH_DIR}/../nvidia ABSOLUTE)

find_path(GLOO_INCLUDE_DIR gloo/context.h REQUIRED DOC "Headers of Gloo; its code is inside libtorch_cpu")

add_library(torch::cpu INTERFACE IMPORTED)
target_include_directories(torch::cpu SYSTEM INTERFACE
  ${CRESCENDO_TORCH_DIR}/include ${CRESCENDO_TORCH_DIR}/include/torch/csrc/api/include ${GLOO_INCLUDE_DIR})
target_compile_definitions(torch::cpu INTERFACE USE_C10D_GLOO USE_DISTRIBUTED)
# --no-as-needed: operators register themselves when the library is loaded, nothing refers to them by name.
target_link_options(torch::cpu INTERFACE
  LINKER:-rpath-link,${torch_nvidia}/cu13/lib LINKER:-rpath,${torch_lib})
target_link_libraries(torch::cpu INTERFACE
  "-Wl,--push-state,--no-as-needed" ${torch_lib}/libtorch_cpu.so ${torch_lib}/libc10.so "-Wl,--pop-state" Threads::Threads)

# A torch for CPUs alone, or a wheel without the packages of its CUDA libraries, has no torch::cuda.
find_path(CUDA_RUNTIME_INCLUDE_DIR cuda_runtime_api.h HINTS ${torch_nvidia}/cu13/include PATHS /usr/local/cuda/include)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${torch_nvidia}/nccl/include)
find_library(CUDA_RUNTIME_LIBRARY NAMES libcudart.so.13 cudart HINTS ${torch_nvidia}/cu13/lib PATHS /usr/local/cuda/lib64)
if(EXISTS ${torch_lib}/libtorch_cuda.so AND CUDA_RUNTIME_INCLUDE_DIR AND NCCL_INCLUDE_DIR AND CUDA_RUNTIME_LIBRARY)
  get_filename_component(cuda_runtime_lib ${CUDA_RUNTIME_LIBRARY} DIRECTORY)
  add_library(torch::cuda INTERFACE IMPORTED)
  target_include_directories(torch::cuda SYSTEM INTERFACE
    ${CUDA_RUNTIME_INCLUDE_DIR} ${NCCL_INCLUDE_DIR} ${torch_nvidia}/cudnn/include)
  target_compile_definitions(torch::cuda INTERFACE USE_C10D_NCCL)
  foreach(package cu13 cudnn nccl cusparselt nvshmem)
    target_link_options(torch::cuda INTERFACE LINKER:-rpath-link,${torch_nvidia}/${package}/lib)
  endforeach()
  target_link_options(torch::cuda INTERFACE LINKER:-rpath,${cuda_runtime_lib})
  target_link_libraries(torch::cuda INTERFACE torch::cpu
    "-Wl,--push-state,--no-as-needed" ${torch_lib}/libtorch_cuda.so ${torch_lib}/libc10_cuda.so "-Wl,--pop-state"
    ${CUDA_RUNTIME_LIBRARY})
endif()
