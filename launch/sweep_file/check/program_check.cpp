#include "launch/sweep_file/check/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>

#include "core/shell_words.hpp"
#include "launch/files/read_file.hpp"
#include "launch/process/shell.hpp"
#include "launch/sweep_file/check/command_words.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// What is wrong with the interpreter in the first line of a program; empty if nothing is. If the interpreter is
/// missing, the system's error would say that the program itself is.
std::string no_interpreter(const std::string& program) {
    std::ifstream stream(program);
    std::string line(256, '\0');  // as many bytes as the system reads
    stream.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<std::size_t>(stream.gcount()));
    line.resize(std::min(line.find('\n'), line.size()));
    if (!line.starts_with("#!")) {
        return {};
    }
    if (line.ends_with('\r')) {
        return fmt::format("'{}' has Windows line endings, so its interpreter is not found; run `sed -i 's/\\r$//' {}`",
                           program, shell_quoted(program));
    }
    const auto begin = line.find_first_not_of(" \t", 2);
    const auto interpreter =
        begin == std::string::npos ? "" : line.substr(begin, line.find_first_of(" \t", begin) - begin);
    if (interpreter.empty() || is_program(interpreter)) {
        return {};
    }
    return fmt::format(
        "the first line of '{}' asks for '{}', which is not a program; fix that line, or write an interpreter before "
        "the file",
        program, interpreter);
}

/// A guess at what the user meant by a path that does not exist, given as a word of `key`; empty without a guess.
std::string hint_about_path(const std::string& path, const std::string& key, const SweepFile& file) {
    if (path.find("${") != std::string::npos) {
        return {};
    }
    const bool is_command = key == "command";  // macros are only replaced there
    if (path.starts_with("~/") || path.starts_with('$')) {
        const auto rest = path.find('/');
        const auto variable = path.starts_with('~') ? "HOME" : path.substr(1, rest == path.npos ? rest : rest - 1);
        const auto written = path.starts_with('~') ? "~" : "$" + variable;
        const auto remedy =
            fmt::format("write \"${{envvar:{}}}{}\"", variable, rest == path.npos ? "" : path.substr(rest));
        return fmt::format("no shell reads it, so {} is not expanded; {}", written,
                           is_command ? remedy : "write the full path");
    }
    const auto folder = fs::path(file.source.file()).parent_path();
    if (!folder.empty() && fs::path(path).is_relative() && is_there(folder / path)) {
        return fmt::format(
            "it is next to the sweep file, but programs run in the folder where crescendo is started; write {}, or "
            "start crescendo in {}",
            (folder / path).lexically_normal().string(), folder.string());
    }
    std::istringstream stream(path);
    const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    if (words.size() > 1 && (is_program(words[0]) || is_there(words[0]))) {
        const bool becomes_command = is_command || key == "program";
        const auto* const interpreter = words[0].ends_with(".py")   ? "python3, "
                                        : words[0].ends_with(".sh") ? "bash, "
                                                                    : "";
        return fmt::format("write each word as a separate item, as in {}: [{}{}{}]", becomes_command ? "command" : key,
                           interpreter, fmt::join(words, ", "), becomes_command ? ", \"${args}\"" : "");
    }
    return {};
}

}  // namespace

std::string no_program(const std::string& word, const std::string& key, const SweepFile& file) {
    std::error_code unreadable;
    const bool is_path = word.find('/') != std::string::npos;
    if (is_program(word)) {
        return is_path ? no_interpreter(word) : "";
    }
    if (is_path && fs::is_regular_file(word, unreadable)) {
        return fmt::format("'{}' is not executable; run `chmod +x {}`, or write its interpreter before it", word, word);
    }
    const auto hint = hint_about_path(word, key, file);
    return fmt::format("there is no program '{}'; {}", word,
                       hint.empty() ? "give its path, or the name of a program on PATH" : hint);
}

std::string no_file(const std::string& path, const std::string& key, const SweepFile& file) {
    constexpr auto usual = "programs run in the folder where crescendo is started; give the path relative to it";
    const auto hint = hint_about_path(path, key, file);
    return fmt::format("there is no file '{}'; {}", path, hint.empty() ? usual : hint);
}

void check_programs(const std::vector<std::string>& words, const char* key, const SweepFile& file, Mistakes& mistakes) {
    for (const auto i : std::set<std::size_t>{0, find_program(words)}) {
        if (const auto problem = words[i].empty() ? "" : no_program(words[i], key, file); !problem.empty()) {
            mistakes.add(fmt::format("{}[{}]", key, i), problem);
        }
    }
}

}  // namespace crescendo::launch
