#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace crescendo {

/// `text` as one word for bash, whatever characters it contains. Quoted only if necessary.
std::string shell_quoted(const std::string& text);
std::string shell_quoted(const std::filesystem::path& path);

/// The inverse of shell_quoted(); nothing if `word` is not a result of it.
std::optional<std::string> shell_unquoted(const std::string& word);

/// Whether a shell reads `text` as it is, without quotes.
bool is_plain_word(const std::string& text);

}  // namespace crescendo
