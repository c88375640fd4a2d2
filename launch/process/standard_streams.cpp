#include "launch/process/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace crescendo::launch {

void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0) {
            [[maybe_unused]] const int null = ::open("/dev/null", O_RDWR);  // gets the lowest free one: this stream
        }
    }
}

}  // namespace crescendo::launch
