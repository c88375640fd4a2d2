#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "launch/json/json.hpp"
#include "launch/yaml/mistakes.hpp"

namespace crescendo::launch {

/// A word of W&B's dialect that this version does not support, and what to write instead.
struct UnsupportedWord {
    std::string word;
    std::string remedy;
};

/// What the items of a list of texts are: texts of any kind, or the words of a command.
enum class ListOf { texts, words };

/// One map of a YAML document and its dotted key, read entry by entry.
///
/// Every reader returns nothing if the key is absent. If its value has the wrong type, the reader throws InvalidInput
/// with the dotted key, the problem and the remedy. If parsing already found a mistake there, it throws AlreadyTold.
/// The document and the mistakes must outlive the section.
class YamlSection {
  public:
    /// A section of the object `map`, whose dotted key is `key`.
    YamlSection(const OrderedJson& map, std::string key, Mistakes& mistakes)
        : map_(map), key_(std::move(key)), mistakes_(mistakes) {}

    bool has(const std::string& name) const { return map_.contains(name); }
    /// The value of an entry that exists.
    const OrderedJson& at(const std::string& name) const;
    const OrderedJson& map() const { return map_; }

    /// Dotted key of an entry.
    std::string key_of(std::string_view name) const;

    Mistakes& mistakes() const { return mistakes_; }

    /// Calls Mistakes::attempt: what `read` throws is reported with all other mistakes of the file.
    template <class Read>
    bool attempt(const Read& read) const {
        return mistakes_.attempt(read);
    }

    /// Every key that is not in `names` is a mistake. Returns whether there is none. A key that another tool has for
    /// one of them is told what to write.
    bool allow(const std::vector<std::string>& names) const;

    std::optional<std::string> string(const std::string& name) const;
    std::optional<double> number(const std::string& name) const;
    std::optional<std::int64_t> integer(const std::string& name) const;

    /// Reads a whole number that fits into an int.
    std::optional<int> small_integer(const std::string& name) const;

    /// Reads a whole number that fits into an int and is at least `min`.
    std::optional<int> integer_from(int min, const std::string& name) const;

    /// Reads a list of texts. An item that is not a text is a mistake, and becomes empty.
    std::optional<std::vector<std::string>> strings(const std::string& name, std::string_view example,
                                                    ListOf items_are = ListOf::texts) const;
    std::optional<YamlSection> section(const std::string& name, std::string_view example) const;

    /// Reads a text that must be one of `words`. If these are `on` and `off`, true and false stand for them: that is what
    /// YAML's older libraries write for them.
    std::optional<std::string> word(const std::string& name, const std::vector<std::string>& words,
                                    const std::vector<UnsupportedWord>& unsupported = {}) const;

    /// Reads one of `words`, and returns what it stands for.
    template <class Enum, std::size_t Count>
    std::optional<Enum> choice(const std::string& name, const Words<Enum, Count>& words,
                               const std::vector<UnsupportedWord>& unsupported = {}) const {
        std::vector<std::string> texts;
        texts.reserve(Count);
        for (const auto& row : words) {
            texts.emplace_back(row.second);
        }
        const auto chosen = word(name, texts, unsupported);
        return chosen ? words.find(*chosen) : std::nullopt;
    }

    /// Throws InvalidInput about the entry `name`, or about the section itself if `name` is empty.
    [[noreturn]] void fail(std::string_view name, std::string_view message) const;

  private:
    /// The entry's value if it exists. Throws InvalidInput that it is not `expected` (with an example) unless it
    /// `fits`.
    const OrderedJson* find(const std::string& name, bool (OrderedJson::*fits)() const,
                            std::string_view expected) const;

    const OrderedJson& map_;
    std::string key_;
    Mistakes& mistakes_;
};

/// Describes a value for messages: "'three' is text", "3 is a whole number", "null is no value".
std::string describe(const OrderedJson& value);

}  // namespace crescendo::launch
