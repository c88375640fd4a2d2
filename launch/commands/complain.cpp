#include "launch/commands/complain.hpp"

#include <unistd.h>

#include <cstdio>
#include <system_error>

#include "core/check.hpp"
#include "launch/display/printable.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

ExitCode complain(const std::exception& error, ExitCode code) {
    std::fflush(stdout);
    const char* over_progress_bar = ::isatty(STDERR_FILENO) ? "\r\x1b[K" : "";
    // Not fmt, which throws if the terminal is gone.
    std::fprintf(stderr, "%screscendo: %s\n", over_progress_bar, printable(error.what()).c_str());
    return code;
}

void remark(const std::string& line) { std::fprintf(stderr, "crescendo: %s\n", printable(line).c_str()); }

void remark_on_sampler(const SweepFile& file) {
    for (const auto& [key, text] : file.remarks) {
        if (key == "method" || key == "sampler.type") {
            remark("note: " + file.source.located(key, text));
        }
    }
}

ExitCode code_of_error(ExitCode of_a_disk) try { throw; } catch (const InvalidInput&) {
    return ExitCode::bad_input;
} catch (const DamagedFile&) {
    return ExitCode::bad_input;
} catch (const DirectoryError&) {
    return of_a_disk;
} catch (const std::system_error&) {
    return of_a_disk;
} catch (const std::exception&) {
    return ExitCode::failed;
}

ExitCode complain(ExitCode of_a_disk) try { throw; } catch (const std::exception& error) {
    return complain(error, code_of_error(of_a_disk));
}

}  // namespace crescendo::launch
