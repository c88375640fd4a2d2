#include "trainer/protocol/failure.hpp"

#include <c10/util/Exception.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include "core/trial_protocol.hpp"
#include "datasets/system/task_pool.hpp"
#include "tests/no_more_threads.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/device/nccl/nccl_communicator.hpp"

using namespace crescendo;
using namespace crescendo::trainer;

namespace {

template <class Error>
Failure described(const Error& error) try {
    throw error;
} catch (...) {
    return describe_failure();
}

template <class Error>
std::string kind_of(const Error& error) {
    return described(error).kind;
}

c10::Error of_torch(const std::string& message) { return {{__func__, __FILE__, __LINE__}, message}; }

}  // namespace

TEST_CASE("out of memory is a separate kind of failure, whatever reports it") {
    CHECK(kind_of(std::bad_alloc()) == protocol::failure::out_of_memory);
    CHECK(is_out_of_memory({std::string("out_of_memory").c_str(), ""}));  // whatever the address of the string
    CHECK_FALSE(is_out_of_memory({protocol::failure::error, "out of memory"}));
    CHECK(kind_of(of_torch("CUDA error: out of memory")) == protocol::failure::out_of_memory);
    CHECK(kind_of(c10::DistBackendError({__func__, __FILE__, __LINE__}, "Cuda failure 2 'out of memory'")) ==
          protocol::failure::out_of_memory);
    CHECK(kind_of(NcclError("ncclUnhandledCudaError\nLast error:\nCuda failure 2 'out of memory'")) ==
          protocol::failure::out_of_memory);
    CHECK(kind_of(of_torch("cuDNN error: CUDNN_STATUS_ALLOC_FAILED")) == protocol::failure::out_of_memory);
}

TEST_CASE("other errors keep their original message") {
    const auto failure = described(of_torch("Target 3 is out of bounds"));

    CHECK(failure.kind == std::string(protocol::failure::error));
    CHECK(failure.message == "Target 3 is out of bounds");
    CHECK(kind_of(std::runtime_error("out of memory, says a plug-in")) == protocol::failure::error);
}

TEST_CASE("the error for a thread that cannot be created names the limit that was reached") {
    Failure failure{};
    try {
        const tests::NoMoreThreads no_threads;
        const datasets::TaskPool pool(2);
    } catch (const std::system_error&) {
        failure = describe_failure();
    }

    REQUIRE(failure.kind != nullptr);
    CHECK(failure.kind == std::string(protocol::failure::error));
    CHECK(failure.message.find("cannot start a thread or process") == 0);
    CHECK(failure.message.find("(pids.max)") != std::string::npos);
}

TEST_CASE("other system errors keep their message") {
    const std::system_error error(EIO, std::generic_category(), "samples.h5");

    CHECK(described(error).message == error.what());
}
