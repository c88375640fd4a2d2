#include "launch/sweep_file/wandb_script.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace crescendo::launch {
namespace {

constexpr std::size_t longest_script = 1 << 20;  // maximum number of bytes to search

}  // namespace

bool speaks_to_wandb_alone(const std::string& path) {
    static const RE2 speaks(
        R"((?m)^\s*(import\s[^#\n]*\bwandb\b|from wandb\b)|\bWandbLogger\b|\breport_to\s*=\s*\[?["']wandb)");
    std::error_code unknown;
    if (!path.ends_with(".py") || !std::filesystem::is_regular_file(path, unknown)) {
        return false;
    }
    std::string text(longest_script, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    return RE2::PartialMatch(text, speaks) && !has("crescendo") && !has("CRESCENDO_");
}

bool runs_wandb_adapter(const SweepFile& file) {
    return file.command && std::ranges::find(*file.command, wandb_adapter) != file.command->end();
}

}  // namespace crescendo::launch
