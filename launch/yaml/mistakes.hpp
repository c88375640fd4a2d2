#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "launch/yaml/source_map.hpp"

namespace crescendo::launch {

/// Thrown if a value cannot be read and its mistake is known already.
struct AlreadyTold {};

/// All mistakes of one file, so that they can be reported at once.
///
/// A reader attempts independent parts of a file one by one, and leaves out a part that depends on a mistaken one: a
/// mistake must not cause a second message.
class Mistakes {
  public:
    /// Adds a mistake. `key` is as in InvalidInput. With an offset, a character in the text of `key` is meant, which
    /// so many bytes precede.
    void add(std::string key, std::string message, std::optional<std::size_t> offset = {});

    /// `key` is missing because its name is misspelt, which is a mistake of its own. Mistakes about `key` are not
    /// reported.
    void excuse(std::string key) { excused_.push_back(std::move(key)); }

    /// Runs `read`; the InvalidInput that it throws is a mistake. Returns whether there was none.
    template <class Read>
    bool attempt(const Read& read) {
        try {
            read();
            return true;
        } catch (const AlreadyTold&) {
        } catch (const InvalidInput& error) {
            add(error.key(), error.what());
        }
        return false;
    }

    bool empty() const { return all_.empty(); }

    /// Whether a mistake is about `key`, or about something that holds it: one about `scheduler` concerns
    /// `scheduler.max`.
    bool concern(std::string_view key) const;

    /// Whether a mistake is about `key`, or about something in it.
    bool lie_in(std::string_view key) const;

    /// Throws InvalidInput with all mistakes, in the order of the file, and with their number if there are several.
    /// Does nothing if there are none.
    void throw_if_any(const SourceMap& source) const;

  private:
    struct Mistake {
        std::string key;
        std::string message;
        std::optional<std::size_t> offset;
    };

    std::vector<Mistake> all_;
    std::vector<std::string> excused_;
};

}  // namespace crescendo::launch
