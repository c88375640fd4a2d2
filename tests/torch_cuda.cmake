# Checks cmake/TorchCuda.cmake against wheels of torch as they lie in an environment, without their contents.
#
# usage: cmake -DFOLDER=WORK -P torch_cuda.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/TorchCuda.cmake)

function(make_wheel name version_line)
  file(REMOVE_RECURSE ${FOLDER}/${name})
  file(WRITE ${FOLDER}/${name}/torch/version.py "__version__ = '2.11.0'\n${version_line}\nhip: Optional[str] = None\n")
  foreach(library ${ARGN})
    file(WRITE ${FOLDER}/${name}/nvidia/${library} "")
  endforeach()
endfunction()

# The CUDA's version, the folder of its runtime, and the folders of all packages, relative to nvidia/.
function(check name version runtime packages)
  torch_cuda_packages(${FOLDER}/${name}/torch ${FOLDER}/${name}/nvidia found)
  set(found "${found_VERSION}|${found_RUNTIME}|${found_PACKAGES}")
  string(REPLACE "${FOLDER}/${name}/nvidia/" "" found "${found}")
  if(NOT found STREQUAL "${version}|${runtime}|${packages}")
    message(SEND_ERROR "${name}: found ${found}, not ${version}|${runtime}|${packages}")
  endif()
endfunction()

make_wheel(cuda13 "cuda: Optional[str] = '13.0'" cu13/lib/libcudart.so.13 cudnn/lib/libcudnn.so.9 nccl/lib/libnccl.so.2)
check(cuda13 13.0 cu13 "cu13;cudnn;nccl")

make_wheel(cuda12 "cuda = '12.8'" cuda_runtime/lib/libcudart.so.12 cublas/lib/libcublas.so.12 nccl/lib/libnccl.so.2)
check(cuda12 12.8 cuda_runtime "cuda_runtime;cublas;nccl")

# Without dependencies the wheel comes without its runtime.
make_wheel(alone "cuda: Optional[str] = '13.0'" cuda_runtime/lib/libcudart.so.12)
check(alone 13.0 "" "cuda_runtime")

make_wheel(cpu "cuda: Optional[str] = None" cuda_runtime/lib/libcudart.so.12)
check(cpu "" "" "")

check(missing "" "" "")

file(WRITE ${FOLDER}/header/cuda_runtime_api.h "/** Version */\n#define CUDART_VERSION  12080\n")
torch_cuda_header_major(${FOLDER}/header major)
if(NOT major STREQUAL "12")
  message(SEND_ERROR "header: found CUDA ${major}, not 12")
endif()
