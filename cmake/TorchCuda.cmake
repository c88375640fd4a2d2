# Finds the CUDA of a `torch` wheel. Wheels of CUDA 13 have most of it in nvidia/cu13; those of CUDA 12 have a folder
# per library (nvidia/cuda_runtime, nvidia/cublas, …).

# The CUDA version that a torch was built for, such as "13.0", from its version.py; "" if CPU-only or unknown.
function(torch_cuda_version torch_dir result)
  set(version "")
  if(EXISTS ${torch_dir}/version.py)
    file(STRINGS ${torch_dir}/version.py line REGEX "^cuda[ :].*= *'[0-9.]+'")
    if(line MATCHES "'([0-9.]+)'")
      set(version ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Sets <prefix>_VERSION (as above), <prefix>_MAJOR, and the existing folders in `nvidia_dir`: <prefix>_PACKAGES (all
# libraries) and <prefix>_RUNTIME (CUDA's runtime, "" if the wheel lacks it).
function(torch_cuda_packages torch_dir nvidia_dir prefix)
  torch_cuda_version(${torch_dir} version)
  string(REGEX MATCH "^[0-9]+" major "${version}")
  set(packages "")
  foreach(name cu${major} cuda_runtime cuda_nvcc cublas cuda_cupti cuda_nvrtc cufft cufile curand cusolver cusparse
               nvjitlink nvtx cudnn nccl cusparselt nvshmem)
    if(major AND EXISTS ${nvidia_dir}/${name})
      list(APPEND packages ${nvidia_dir}/${name})
    endif()
  endforeach()
  set(runtime "")
  foreach(name cu${major} cuda_runtime)
    if(EXISTS ${nvidia_dir}/${name}/lib/libcudart.so.${major})
      set(runtime ${nvidia_dir}/${name})
    endif()
  endforeach()
  set(${prefix}_VERSION "${version}" PARENT_SCOPE)
  set(${prefix}_MAJOR "${major}" PARENT_SCOPE)
  set(${prefix}_PACKAGES "${packages}" PARENT_SCOPE)
  set(${prefix}_RUNTIME "${runtime}" PARENT_SCOPE)
endfunction()

# The major CUDA version of the cuda_runtime_api.h in `folder`, such as "13".
function(torch_cuda_header_major folder result)
  file(STRINGS ${folder}/cuda_runtime_api.h line REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" number "${line}")
  math(EXPR major "0${number} / 1000")
  set(${result} "${major}" PARENT_SCOPE)
endfunction()
