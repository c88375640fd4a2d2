#include "trainer/device/nccl/nccl_library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

template <class Function>
void find(void* library, const std::string& file, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) {
        throw std::runtime_error(text("{} has no {}: it is not NCCL, or it is older than 2.14", file, name));
    }
}

const char* name_of(nccl::Result result) {
    switch (result) {
        case nccl::Result::success:
            return "ncclSuccess";
        case nccl::Result::unhandled_cuda_error:
            return "ncclUnhandledCudaError";
        case nccl::Result::system_error:
            return "ncclSystemError";
        case nccl::Result::internal_error:
            return "ncclInternalError";
        case nccl::Result::invalid_argument:
            return "ncclInvalidArgument";
        case nccl::Result::invalid_usage:
            return "ncclInvalidUsage";
        case nccl::Result::remote_error:
            return "ncclRemoteError";
        case nccl::Result::in_progress:
            return "ncclInProgress";
    }
    return "a result of a newer NCCL";
}

}  // namespace

NcclLibrary::NcclLibrary(const std::string& file) {
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error(text("cannot load NCCL: {}", ::dlerror()));
    }
    find(library, file, "ncclGetUniqueId", get_unique_id);
    find(library, file, "ncclCommInitRankConfig", comm_init_rank_config);
    find(library, file, "ncclCommGetAsyncError", comm_get_async_error);
    find(library, file, "ncclCommAbort", comm_abort);
    find(library, file, "ncclAllReduce", all_reduce);
    find(library, file, "ncclBroadcast", broadcast);
    find(library, file, "ncclGetErrorString", get_error_string_);
    find(library, file, "ncclGetLastError", get_last_error_);
}

std::string NcclLibrary::describe(nccl::Result result) const {
    return text("{}: {}\nLast error:\n{}", name_of(result), get_error_string_(result), get_last_error_(nullptr));
}

}  // namespace crescendo::trainer
