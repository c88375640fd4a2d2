#include "datasets/write_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {
namespace {

/// One line that is written over, and erased at the end; nothing where it would land in a file.
class ProgressBar {
  public:
    explicit ProgressBar(std::string unit) : unit_(std::move(unit)) {}

    void show(std::int64_t done, std::int64_t total) {
        const auto percent = static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
        if (!shown_ || percent == percent_) {
            return;
        }
        percent_ = percent;
        const auto filled = static_cast<std::size_t>(percent) * width / 100;
        fmt::print(stderr, "\r[{:<{}}] {:3} % of {} {}{}", std::string(filled, '#'), width, percent, total, unit_,
                   done == total ? "\r\x1b[K" : "");
    }

  private:
    static constexpr std::size_t width = 40;
    std::string unit_;
    bool shown_ = ::isatty(STDERR_FILENO) != 0;
    int percent_ = -1;
};

}  // namespace

void add_write_options(CLI::App& command, datasets::WriteOptions& options, const std::string& unit) {
    command.add_option("--chunk", options.chunk_samples, "Samples a chunk holds; default: about 256 KiB of them")
        ->check(CLI::PositiveNumber);
    command.add_option("--compress", options.compression, "Level of deflate; default: 0, none")
        ->check(CLI::Range(0, 9));
    options.progress = [bar = ProgressBar(unit)](std::int64_t done, std::int64_t total) mutable {
        bar.show(done, total);
    };
}

}  // namespace crescendo::launch
