#include "launch/sweep_file/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "launch/sweep_file/yaml_scalar.hpp"

namespace crescendo::launch {
namespace {

/// An alias inside its own anchor makes a document without end.
constexpr int max_depth = 32;

/// yaml-cpp counts from 0, and has -1 where there is nothing to point at.
Position position(const YAML::Mark& mark) { return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1}; }

class Converter {
  public:
    explicit Converter(SourceMap& source) : source_(source) {}

    OrderedJson convert(const YAML::Node& node, const std::string& key, int depth = 0) {
        if (depth > max_depth) {
            source_.fail(key, fmt::format("is nested more than {} deep; does an alias contain itself?", max_depth));
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
    OrderedJson convert_map(const YAML::Node& node, const std::string& key, int depth) {
        OrderedJson object = OrderedJson::object();
        for (const auto& entry : node) {
            if (!entry.first.IsScalar()) {
                source_.fail(key,
                             "a key is itself a map, a list or empty; use text (braces and '?' in text need quotes)");
            }
            const auto& name = entry.first.Scalar();
            const auto child = key.empty() ? name : fmt::format("{}.{}", key, name);
            const auto first = source_.position_of(child);
            source_.insert(child, position(entry.first.Mark()));
            if (object.contains(name)) {
                source_.fail(child, fmt::format("is given twice, first in line {}; remove one of the two", first.line));
            }
            object[name] = convert(entry.second, child, depth + 1);
        }
        return object;
    }

    OrderedJson convert_list(const YAML::Node& node, const std::string& key, int depth) {
        OrderedJson list = OrderedJson::array();
        for (const auto& item : node) {
            const auto child = fmt::format("{}[{}]", key, list.size());
            source_.insert(child, position(item.Mark()));
            list.push_back(convert(item, child, depth + 1));
        }
        return list;
    }

    OrderedJson convert_scalar(const YAML::Node& node, const std::string& key) {
        if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") {  // quoted, or said to be text
            return node.Scalar();
        }
        if (node.Tag() != "?" && !node.Tag().empty()) {
            source_.fail(key, fmt::format("has the tag {}, which means nothing here; remove it", node.Tag()));
        }
        try {
            return parse_plain_scalar(node.Scalar());
        } catch (const std::out_of_range& error) {
            source_.fail(
                key, fmt::format("{} {}; use a smaller number, or quotes if it is text", node.Scalar(), error.what()));
        }
    }

    SourceMap& source_;
};

bool is_indented_with_tab(const std::string& text, int line_number) {
    std::istringstream lines(text);
    std::string line;
    for (int i = 0; i < line_number && std::getline(lines, line); ++i) {}
    const auto first = line.find_first_not_of(" \t");
    return line.find('\t') < std::min(first, line.size());
}

std::vector<YAML::Node> load(const std::string& text, const std::string& file) {
    try {
        return YAML::LoadAll(text);
    } catch (const YAML::Exception& error) {
        const auto [line, column] = position(error.mark);
        const auto* remedy = is_indented_with_tab(text, line)
                                 ? "the line is indented with a tab; use spaces"
                                 : "look for indentation, brackets and quotes around here, and put text that holds "
                                   "any of : # { } [ ] , in quotes";
        throw InvalidInput(fmt::format("{}:{}:{}: this is not YAML ({}): {}", file, line, column, error.msg, remedy));
    }
}

}  // namespace

YamlDocument parse_yaml(const std::string& text, const std::string& file) {
    const auto documents = load(text, file);
    YamlDocument result{OrderedJson::object(), SourceMap(file)};
    if (documents.empty() || documents.front().IsNull()) {
        result.source.fail("", "the file is empty");
    }
    if (documents.size() > 1) {
        const auto [line, column] = position(documents[1].Mark());
        throw InvalidInput(
            fmt::format("{}:{}:{}: a second YAML document begins here; use one document of `key: value` lines", file,
                        line, column));
    }
    if (!documents.front().IsMap()) {
        result.source.fail("", "the file is no map; write it as lines of `key: value`");
    }
    result.root = Converter(result.source).convert(documents.front(), "");
    return result;
}

}  // namespace crescendo::launch
