#include "trainer/protocol/failure.hpp"

#include <c10/util/Exception.h>

#include <cerrno>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "core/files/durable_file.hpp"
#include "core/trial_protocol.hpp"
#include "trainer/device/nccl/nccl_communicator.hpp"
#include "trainer/protocol/error_words.hpp"

namespace crescendo::trainer {

namespace {

/// Whether the disk or the user's quota is full: then every trial fails in the same way.
bool is_full(const std::error_code& code) {
    return code == std::errc::no_space_on_device || code == std::errc::file_too_large || code.value() == EDQUOT;
}

std::string words_of(const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
        return "cannot start a thread or process: the limit of this user (ulimit -u), of the job's control group "
               "(pids.max), or of memory for a stack (ulimit -v) is reached; raise that limit, or train on fewer slots";
    }
    return error.what();
}

}  // namespace

Failure describe_failure() {
    namespace kind = protocol::failure;
    try {
        throw;
    } catch (const c10::OutOfMemoryError& error) {
        return {kind::out_of_memory, error.what_without_backtrace()};
    } catch (const std::bad_alloc&) {
        return {kind::out_of_memory, "the machine's memory is used up"};
    } catch (const c10::Error& error) {
        const std::string message = error.what_without_backtrace();
        return {says_out_of_memory(message) ? kind::out_of_memory : kind::error, in_words_of_settings(message)};
    } catch (const NcclError& error) {
        return {says_out_of_memory(error.what()) ? kind::out_of_memory : kind::error, error.what()};
    } catch (const WriteError& error) {
        return {is_full(error.code()) ? kind::disk : kind::error, error.what()};
    } catch (const std::system_error& error) {
        return {kind::error, words_of(error)};
    } catch (const std::exception& error) {
        return {kind::error, error.what()};
    } catch (...) {
        return {kind::error, "an exception of an unknown type"};
    }
}

bool is_out_of_memory(const Failure& failure) {
    return std::string_view(failure.kind) == protocol::failure::out_of_memory;
}

}  // namespace crescendo::trainer
