#include "launch/yaml/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "core/check.hpp"
#include "core/utf8.hpp"
#include "launch/yaml/yaml_scalar.hpp"

namespace crescendo::launch {
namespace {

/// Limits the depth, because an alias inside its own anchor makes an infinite document.
constexpr int max_depth = 32;

/// yaml-cpp counts from 0, and uses -1 if there is no position.
Position position(const YAML::Mark& mark) { return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1}; }

/// Limits the number of values, because aliases can expand a small file until it fills the memory. Text counts too: as
/// one value per 100 bytes.
constexpr std::size_t most_values = 1'000'000;

constexpr const char* has_zero = "has the character \\0, at which programs take a text to end; leave it out";

class Converter {
  public:
    Converter(const std::string& text, SourceMap& source, Mistakes& mistakes, const std::string& verbatim)
        : text_(text), source_(source), mistakes_(mistakes), verbatim_(verbatim) {}

    OrderedJson convert(const YAML::Node& node, const std::string& key, int depth = 0) {
        count(node, key);
        if (depth > max_depth) {  // ends the reading, because such an alias repeats the mistake thousands of times
            source_.fail(key,
                         fmt::format("is nested more than {} levels deep; does an alias contain itself?", max_depth));
        }
        switch (node.Type()) {
            case YAML::NodeType::Map:
                return convert_map(node, key, depth);
            case YAML::NodeType::Sequence:
                return convert_list(node, key, depth);
            case YAML::NodeType::Scalar:
                return convert_scalar(node, key);
            default:
                return nullptr;
        }
    }

  private:
    void count(const YAML::Node& node, const std::string& key) {
        num_values_ += 1 + (key.size() + (node.IsScalar() ? node.Scalar().size() : 0)) / 100;
        if (num_values_ > most_values) {
            source_.fail(
                "",
                "the file has more than a million values, or 100 MB of text (each alias counts as what it stands for); "
                "make it smaller");
        }
    }

    OrderedJson convert_map(const YAML::Node& node, const std::string& key, int depth) {
        OrderedJson object = OrderedJson::object();
        for (const auto& entry : node) {
            if (!entry.first.IsScalar()) {
                return mistaken(
                    key, "a key is itself a map, a list or empty; use text (braces and '?' in text need quotes)");
            }
            const auto& name = entry.first.Scalar();
            if (name.find('\0') != std::string::npos) {
                return mistaken(key, fmt::format("a key {}", has_zero));
            }
            const auto child = key.empty() ? name : fmt::format("{}.{}", key, name);
            const auto first = source_.position_of(child);
            source_.insert(child, position(entry.first.Mark()));
            if (object.contains(name)) {
                object[name] =
                    mistaken(child, fmt::format("is given twice, first on line {}; remove one of the two", first.line));
                continue;
            }
            object[name] = convert(entry.second, child, depth + 1);
        }
        return object;
    }

    OrderedJson convert_list(const YAML::Node& node, const std::string& key, int depth) {
        OrderedJson list = OrderedJson::array();
        for (const auto& item : node) {
            const auto child = fmt::format("{}[{}]", key, list.size());
            source_.insert(child, item.IsNull() ? position_of_empty(item.Mark()) : position(item.Mark()));
            list.push_back(convert(item, child, depth + 1));
        }
        return list;
    }

    OrderedJson convert_scalar(const YAML::Node& node, const std::string& key) {
        note_text(node, key);
        if (node.Scalar().find('\0') != std::string::npos) {
            return mistaken(key, has_zero);
        }
        const std::string_view tag = node.Tag();
        if (tag == "!" || tag == "tag:yaml.org,2002:str") {  // quoted, or tagged as text
            return node.Scalar();
        }
        const bool is_plain = tag == "?" || tag.empty();
        try {
            auto value = parse_plain_scalar(node.Scalar());
            if (is_plain && !verbatim_.empty() && key.starts_with(verbatim_ + "[")) {
                return node.Scalar();
            }
            return is_plain ? value : convert_tagged(value, node, key);
        } catch (const std::out_of_range& error) {
            return mistaken(
                key, fmt::format("{} {}; use a smaller number, or quotes if it is text", node.Scalar(), error.what()));
        }
    }

    /// Records the position of a scalar's text if it appears literally in the file: on one line, without escapes.
    void note_text(const YAML::Node& node, const std::string& key) {
        const auto& mark = node.Mark();
        const auto begin = static_cast<std::size_t>(std::max(mark.pos, 0));
        const int quote = begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'') ? 1 : 0;
        const auto& scalar = node.Scalar();
        const bool is_one_line = scalar.find('\n') == std::string::npos;
        if (is_one_line && begin < text_.size() && text_.compare(begin + quote, scalar.size(), scalar) == 0) {
            const auto [line, column] = position(mark);
            source_.insert_text(key, {line, column + quote});
        }
    }

    /// Converts a value with a tag of YAML's core schema (YAML 1.2, section 10.3), which gives its type.
    OrderedJson convert_tagged(const OrderedJson& value, const YAML::Node& node, const std::string& key) {
        constexpr std::string_view core = "tag:yaml.org,2002:";
        const std::string_view tag = node.Tag();
        const auto type = tag.starts_with(core) ? tag.substr(core.size()) : "";
        if (type == "float" && value.is_number()) {
            return value.get<double>();
        }
        if ((type == "int" && value.is_number_integer()) || (type == "bool" && value.is_boolean()) ||
            (type == "null" && value.is_null())) {
            return value;
        }
        if (type == "float" || type == "int" || type == "bool" || type == "null") {
            return mistaken(key, fmt::format("'{}' is not of the type {}, as its tag !!{} requires; remove the tag, or "
                                             "change the value",
                                             node.Scalar(), type, type));
        }
        return mistaken(key, fmt::format("has the tag {}, which means nothing here; remove it", tag));
    }

    /// yaml-cpp gives an empty item the position of whatever follows it. Returns the position of the dash or comma
    /// before it.
    Position position_of_empty(const YAML::Mark& mark) const {
        const auto end = static_cast<std::size_t>(std::max(mark.pos, 0));
        const bool is_written = end < text_.size() && std::string_view("nN~").find(text_[end]) != std::string::npos;
        const auto begin = end == 0 || end > text_.size() ? std::string::npos : text_.find_last_of("-,[", end - 1);
        if (is_written || begin == std::string::npos) {
            return position(mark);
        }
        const auto line_start = text_.rfind('\n', begin) + 1;  // on the first line: npos + 1 = 0
        const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
        return {static_cast<int>(line) + 1, static_cast<int>(begin - line_start) + 1};
    }

    OrderedJson mistaken(const std::string& key, const std::string& message) {
        mistakes_.add(key, message);
        return OrderedJson::value_t::discarded;
    }

    const std::string& text_;
    SourceMap& source_;
    Mistakes& mistakes_;
    const std::string& verbatim_;
    std::size_t num_values_ = 0;
};

std::string line_of(const std::string& text, int number) {
    std::istringstream lines(text);
    std::string line;
    for (int i = 0; i < number && std::getline(lines, line); ++i) {}
    return line;
}

bool is_indented_with_tab(const std::string& line) {
    const auto first = line.find_first_not_of(" \t");
    return line.find('\t') < std::min(first, line.size());
}

/// Inside [ ], YAML takes the brace of an unquoted macro for a map.
bool has_macro_without_quotes(const std::string& line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quote == 0 && line.compare(i, 2, "${") == 0) {
            return true;
        }
        if (line[i] == quote) {
            quote = 0;
        } else if (quote == 0 && (line[i] == '"' || line[i] == '\'')) {
            quote = line[i];
        }
    }
    return false;
}

/// Number of bytes of the first character; 0 if it is not valid UTF-8.
std::size_t length_of_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80                       ? 1
                               : byte(0) >= 0xC2 && byte(0) <= 0xDF ? 2
                               : byte(0) >= 0xE0 && byte(0) <= 0xEF ? 3
                               : byte(0) >= 0xF0 && byte(0) <= 0xF4 ? 4
                                                                    : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (i >= text.size() || !continues_character(text[i])) {
            return 0;
        }
    }
    // The rest of what the first byte allows is longer than necessary, half of a UTF-16 character, or past the last
    // one.
    const bool is_one = (byte(0) != 0xE0 || byte(1) >= 0xA0) && (byte(0) != 0xED || byte(1) < 0xA0) &&
                        (byte(0) != 0xF0 || byte(1) >= 0x90) && (byte(0) != 0xF4 || byte(1) < 0x90);
    return is_one ? length : 0;
}

/// Checks that the text is valid: yaml-cpp accepts any bytes, but the journal, which is JSON, would refuse them once
/// the sweep runs.
void check_encoding(std::string_view text, const std::string& file) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
        text.substr(0, 2).find('\0') != std::string_view::npos) {
        return;  // UTF-16 or UTF-32, which yaml-cpp reads
    }
    int line = 1;
    std::size_t line_start = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto length = length_of_character(text.substr(i));
        if (length == 0) {
            throw InvalidInput(fmt::format("{}:{}:{}: the byte 0x{:02X} is not valid UTF-8; save the file as UTF-8",
                                           file, line, i - line_start + 1, static_cast<unsigned char>(text[i])));
        }
        if (text[i] == '\0') {
            throw InvalidInput(fmt::format("{}:{}:{}: the byte 0x00 does not belong in text; this file is not YAML",
                                           file, line, i - line_start + 1));
        }
        if (text[i] == '\n') {
            ++line;
            line_start = i + 1;
        }
        i += length;
    }
}

/// Refuses a second document as soon as it begins. YAML::LoadAll() would not come to an end if a document began with a
/// comma: it reads an empty document before the comma again and again.
class OneDocument final : public YAML::EventHandler {
  public:
    explicit OneDocument(const std::string& file) : file_(file) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++num_documents_ > 1) {
            const auto [line, column] = position(mark);
            throw InvalidInput(
                fmt::format("{}:{}:{}: a second YAML document begins here; use one document of `key: value` lines",
                            file_, line, column));
        }
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

  private:
    const std::string& file_;
    int num_documents_ = 0;
};

YAML::Node load(const std::string& text, const std::string& file) {
    check_encoding(text, file);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        OneDocument documents(file);
        while (parser.HandleNextDocument(documents)) {}
        return YAML::Load(text);
    } catch (const YAML::Exception& error) {
        const auto [line, column] = position(error.mark);
        const auto written = line_of(text, line);
        const auto* remedy =
            is_indented_with_tab(written)       ? "the line is indented with a tab; use spaces"
            : has_macro_without_quotes(written) ? "inside [ ], a word with ${ needs quotes, such as \"${args}\""
            : error.msg.starts_with("unknown escape character")
                ? "in double quotes, \\ begins an escape; put the text in single quotes, such as '\\d+'"
                : "check indentation, brackets and quotes near here, and put text that contains any of : # { } [ ] , "
                  "in quotes";
        throw InvalidInput(fmt::format("{}:{}:{}: this is not YAML ({}): {}", file, line, column, error.msg, remedy));
    }
}

}  // namespace

YamlDocument parse_yaml(const std::string& text, const std::string& file, Mistakes& mistakes,
                        const std::string& verbatim) {
    const auto document = load(text, file);
    YamlDocument result{OrderedJson::object(), SourceMap(file)};
    if (document.IsNull()) {
        result.source.fail("", "the file is empty");
    }
    if (!document.IsMap()) {
        result.source.fail("", "the file is not a map; write it as lines of `key: value`");
    }
    result.root = Converter(text, result.source, mistakes, verbatim).convert(document, "");
    if (!result.root.is_object()) {
        mistakes.throw_if_any(result.source);
    }
    return result;
}

YamlDocument parse_yaml(const std::string& text, const std::string& file) {
    Mistakes mistakes;
    auto document = parse_yaml(text, file, mistakes);
    mistakes.throw_if_any(document.source);
    return document;
}

OrderedJson parse_yaml_value(const std::string& text, const std::string& key) {
    const auto root = parse_yaml("value: " + text, key).root;
    CRESCENDO_VALIDATE(root.size() == 1, key,
                       "'{}' is more than one value for {}; write one value, without a line feed", text, key);
    return root.at("value");
}

}  // namespace crescendo::launch
