#include "launch/display/live_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "launch/system/clock.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t most_kept = std::size_t{1} << 20;
constexpr std::chrono::milliseconds last_wait{2'000};

/// Opens the terminal or pipe again, because O_NONBLOCK on a shared descriptor would affect all its owners, such as the
/// shell. Does not reopen a file, which would have another offset then.
FileDescriptor open_impatient(int descriptor) {
    struct stat status {};
    const bool is_pipe = ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
    if (!is_pipe && ::isatty(descriptor) == 0) {
        return {};
    }
    const auto path = fmt::format("/proc/self/fd/{}", descriptor);
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

LiveOutput::LiveOutput(std::FILE* stream) : stream_(stream), impatient_(open_impatient(::fileno(stream))) {
    std::fflush(stream_);
}

LiveOutput::~LiveOutput() {
    const auto end = Clock::now() + last_wait;
    while (!flush()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        if (left.count() <= 0) {
            return;
        }
        pollfd ready{impatient_.get(), POLLOUT, 0};
        ::poll(&ready, 1, static_cast<int>(left.count()));
    }
}

void LiveOutput::write(std::string_view text) {
    if (!impatient_) {
        std::fwrite(text.data(), 1, text.size(), stream_);
        std::fflush(stream_);
        return;
    }
    kept_ += text;
    flush();
    if (kept_.size() > most_kept) {
        const auto second_line = kept_.find('\n') + 1;  // the first line may be written in part
        const auto end = kept_.find('\n', kept_.size() / 2) + 1;
        kept_.erase(second_line, end - second_line);
    }
}

bool LiveOutput::flush() {
    while (!kept_.empty()) {
        const auto written = ::write(impatient_.get(), kept_.data(), kept_.size());
        if (written > 0) {
            kept_.erase(0, static_cast<std::size_t>(written));
        } else if (written == 0 || errno == EAGAIN) {
            return false;
        } else if (errno != EINTR) {
            kept_.clear();  // nobody will read the text any more
        }
    }
    return true;
}

}  // namespace crescendo::launch
