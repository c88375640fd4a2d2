#include "trainer/failure.hpp"

#include <c10/util/Exception.h>

#include <new>

namespace crescendo::trainer {

namespace {

/// The CPU's allocator throws a plain c10::Error.
bool is_cpu_allocation(const std::string& message) {
    return message.find("DefaultCPUAllocator: ") != std::string::npos;
}

}  // namespace

Failure describe_failure(const std::exception_ptr& cause) {
    try {
        std::rethrow_exception(cause);
    } catch (const c10::OutOfMemoryError& error) {
        return {true, error.what_without_backtrace()};
    } catch (const std::bad_alloc&) {
        return {true, "the machine's memory is used up"};
    } catch (const c10::Error& error) {
        const std::string message = error.what_without_backtrace();
        return {is_cpu_allocation(message), message};
    } catch (const std::exception& error) {
        return {false, error.what()};
    } catch (...) {
        return {false, "an exception of an unknown kind"};
    }
}

}  // namespace crescendo::trainer
