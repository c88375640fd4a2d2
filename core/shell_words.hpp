#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace crescendo {

/// `text` as one word for bash, whatever characters it has. Quoted only if necessary.
std::string shell_quoted(const std::string& text);
std::string shell_quoted(const std::filesystem::path& path);

/// The text of which shell_quoted() makes this word; nothing if it is none of those.
std::optional<std::string> shell_unquoted(const std::string& word);

/// Whether `text` means itself to a shell, without quotes.
bool is_plain_word(const std::string& text);

}  // namespace crescendo
