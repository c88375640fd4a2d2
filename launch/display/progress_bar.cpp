#include "launch/display/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "launch/system/terminal.hpp"

namespace crescendo::launch {

ProgressBar::ProgressBar(std::string unit) : unit_(std::move(unit)), shown_(::isatty(STDERR_FILENO) != 0) {}

void ProgressBar::operator()(std::int64_t done, std::int64_t total) {
    constexpr std::size_t most = 40;
    const auto percent =
        total > 0 ? static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total)) : 100;
    if (!shown_ || percent == percent_) {
        return;
    }
    percent_ = percent;
    const auto text = fmt::format("] {:3} % of {} {}", percent, total, unit_);
    const auto columns = terminal_columns(stderr, 80);  // a wrapped line could not be overwritten
    const auto width = std::min(most, columns - std::min(columns, text.size() + 2));
    const auto filled = static_cast<std::size_t>(percent) * width / 100;
    const auto line =
        fmt::format("\r[{:<{}}{}{}", std::string(filled, '#'), width, text, done == total ? "\r\x1b[K" : "");
    std::fputs(line.c_str(), stderr);  // unlike fmt, does not throw if the terminal is gone
}

}  // namespace crescendo::launch
