#pragma once

#include <chrono>
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

/// A word that this version does not support, such as one of W&B's, and what to write instead.
struct UnsupportedWord {
    std::string word;
    std::string remedy;
};

/// What the items of a list are: any texts, or the words of a command.
enum class ListOf { texts, words };

/// A map of a YAML document with its dotted key, read entry by entry.
///
/// Every reader returns nothing if the key is absent. If its value has the wrong type, the reader throws InvalidInput
/// with the dotted key, the problem and the remedy. If the parser has already found a mistake there, it throws
/// AlreadyTold. The document and the mistakes must outlive the section.
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

    /// Calls Mistakes::attempt(): what `read` throws is reported with all other mistakes of the file.
    template <class Read>
    bool attempt(const Read& read) const {
        return mistakes_.attempt(read);
    }

    /// Adds a mistake for every key that is not in `names`. Returns whether there is none. If a key is another tool's
    /// word for one of them, the message says what to write.
    bool allow(const std::vector<std::string>& names) const;

    std::optional<std::string> string(const std::string& name) const;
    std::optional<double> number(const std::string& name) const;
    std::optional<std::int64_t> integer(const std::string& name) const;

    /// Reads a whole number that fits into an int.
    std::optional<int> small_integer(const std::string& name) const;

    /// Reads a whole number that fits into an int and is at least `min`.
    std::optional<int> integer_from(int min, const std::string& name) const;

    /// Reads a duration of at least `least`, such as "90m". `expected` completes the message that a value "is not …".
    std::optional<std::chrono::seconds> duration(const std::string& name, std::string_view expected,
                                                 std::chrono::seconds least = std::chrono::seconds(1)) const;

    /// Reads a list of texts. An item that is not text becomes a mistake and an empty text.
    std::optional<std::vector<std::string>> strings(const std::string& name, std::string_view example,
                                                    ListOf items_are = ListOf::texts) const;
    std::optional<YamlSection> section(const std::string& name, std::string_view example) const;

    /// Reads a text that must be one of `words`. If these include `on` and `off`, true and false are accepted for them,
    /// because older YAML libraries write them so.
    std::optional<std::string> word(const std::string& name, const std::vector<std::string>& words,
                                    const std::vector<UnsupportedWord>& unsupported = {}) const;

    /// Reads one of `words`, and returns its value.
    template <class Enum, std::size_t Count>
    std::optional<Enum> choice(const std::string& name, const Words<Enum, Count>& words,
                               const std::vector<UnsupportedWord>& unsupported = {}) const {
        const auto chosen = word(name, words.all(), unsupported);
        return chosen ? words.find(*chosen) : std::nullopt;
    }

    /// Throws InvalidInput about the entry `name`, or about the section itself if `name` is empty.
    [[noreturn]] void fail(std::string_view name, std::string_view message) const;

  private:
    /// The entry's value; null if it does not exist. Throws InvalidInput that names `expected` (with an example) unless
    /// the value `fits`.
    const OrderedJson* find(const std::string& name, bool (OrderedJson::*fits)() const,
                            std::string_view expected) const;

    const OrderedJson& map_;
    std::string key_;
    Mistakes& mistakes_;
};

/// Describes a value for messages: "'three' is text", "3 is a whole number", "there is no value".
std::string describe(const OrderedJson& value);

}  // namespace crescendo::launch
