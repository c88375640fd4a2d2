#include "launch/display/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace crescendo::launch {

ProgressBar::ProgressBar(std::string unit) : unit_(std::move(unit)), shown_(::isatty(STDERR_FILENO) != 0) {}

void ProgressBar::show(std::int64_t done, std::int64_t total) {
    constexpr std::size_t width = 40;
    const auto percent =
        total > 0 ? static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total)) : 100;
    if (!shown_ || percent == percent_) {
        return;
    }
    percent_ = percent;
    const auto filled = static_cast<std::size_t>(percent) * width / 100;
    const auto line = fmt::format("\r[{:<{}}] {:3} % of {} {}{}", std::string(filled, '#'), width, percent, total,
                                  unit_, done == total ? "\r\x1b[K" : "");
    std::fputs(line.c_str(), stderr);  // which does not throw where the terminal is gone
}

}  // namespace crescendo::launch
