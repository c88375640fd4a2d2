#include "launch/coordinator/session_end.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {

std::optional<std::string> SessionEnd::reason() {
    if (const char* signal = signals_.requested()) {
        return fmt::format("{}: saving the running trials{}", signal,
                           signal == ctrl_c ? " (Ctrl-C again ends at once)" : "");
    }
    // Not in every turn, because there may be thousands per second, and metadata servers are slow.
    if (const auto now = std::chrono::steady_clock::now(); now >= next_look_) {
        next_look_ = now + std::chrono::milliseconds(250);
        std::error_code later;  // a shared file system may fail for a moment; it is asked again
        if (std::filesystem::exists(directory_.stop_request(), later)) {
            return "stop requested: saving the running trials";
        }
    }
    return comes_within(0) ? std::optional<std::string>(time_is_up) : std::nullopt;
}

bool SessionEnd::comes_within(double seconds) {
    constexpr double inexact = 30;  // clocks differ, and times are in whole seconds
    const auto is_near = [&] { return deadline_ && wall_clock() + seconds >= deadline_->at; };
    if (is_near() && deadline_->ask) {
        const auto now = deadline_->ask();
        deadline_->at = now && *now > deadline_->at + inexact ? *now : deadline_->at;
    }
    return is_near();
}

}  // namespace crescendo::launch
