#include <csignal>
#include <new>
#include <stdexcept>

#include "core/check.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/system/own_process.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {
namespace {

[[noreturn]] void end_by(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    throw std::runtime_error("a signal ended the reading process, but not this one");
}

}  // namespace

ExitCode read_foreign(const std::string& files, const std::function<ExitCode()>& work) {
    const auto ending = datasets::in_own_process(files, [&] {
        try {
            try {
                return static_cast<int>(work());
            } catch (const std::bad_alloc&) {
                throw DamagedFile(
                    text("{} needs more memory than is available: it is damaged, or its chunks are too large for this "
                         "machine",
                         files));
            } catch (const std::length_error&) {
                throw DamagedFile(text("{} needs more memory than any machine has: it is damaged", files));
            }
        } catch (...) {
            return static_cast<int>(complain());
        }
    });
    if (ending.signal == 0) {
        return static_cast<ExitCode>(ending.code);
    }
    if (ending.crashed()) {
        throw DamagedFile(ending.message());
    }
    if (ending.signal == SIGKILL) {
        throw std::runtime_error(ending.message());
    }
    end_by(ending.signal);
}

ExitCode add_to_foreign(const std::string& location, const std::function<ExitCode()>& work) {
    const auto file = datasets::Location::parse(location).file;
    return is_there(file) ? read_foreign(file.string(), work) : work();
}

}  // namespace crescendo::launch
