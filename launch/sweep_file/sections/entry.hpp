#pragma once

#include <array>
#include <optional>
#include <string>

#include "launch/json/json.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// The data of a benchmark entry other than its results: `entry:` of a sweep file, or options of `export`.
struct Entry {
    std::optional<std::string> author = {};
    std::optional<std::string> author_email = {};
    std::optional<std::string> framework = {};
    std::optional<std::string> code_url = {};
    std::optional<std::string> model = {};
    std::optional<std::string> hardware = {};
    std::optional<double> cost_per_hour = {};  ///< US dollars for an hour of the hardware
    OrderedJson misc = OrderedJson::object();  ///< anything else

    /// This entry, with missing values taken from `otherwise`.
    Entry or_else(const Entry& otherwise) const;
};

/// A text field of an entry, and its names.
struct EntryText {
    const char* key;      ///< in a sweep file
    const char* in_json;  ///< in DAWNBench's files; sweep files accept it too
    std::optional<std::string> Entry::*text;
    const char* example;
};

inline constexpr std::array entry_texts{
    EntryText{"author", "author", &Entry::author, "Jane Doe"},
    EntryText{"author_email", "authorEmail", &Entry::author_email, "jane@example.org"},
    EntryText{"framework", "framework", &Entry::framework, "PyTorch 2.11"},
    EntryText{"code_url", "codeURL", &Entry::code_url, "https://example.org/code"},
    EntryText{"model", "model", &Entry::model, "ResNet 9"},
    EntryText{"hardware", "hardware", &Entry::hardware, "1 V100 (EC2)"},
};

/// Reads and checks `entry:` of a sweep file.
Entry read_entry(const YamlSection& section);

}  // namespace crescendo::launch
