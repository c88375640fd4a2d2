#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "launch/yaml/source_map.hpp"

namespace crescendo::launch {

/// Thrown if a value cannot be read and its mistake has already been recorded.
struct AlreadyTold {};

/// Collects all mistakes of one file, to report them at once.
///
/// A reader attempts independent parts of a file one by one, and skips a part that depends on a mistaken one, so that
/// one mistake does not cause a second message.
class Mistakes {
  public:
    /// Adds a mistake. `key` is as in InvalidInput. With an offset, the mistake is about the character after the first
    /// `offset` bytes of the text of `key`.
    void add(std::string key, std::string message, std::optional<std::size_t> offset = {});

    /// Suppresses mistakes about `key`, which is missing because its name is misspelt: that is a mistake of its own.
    void excuse(std::string key) { excused_.push_back(std::move(key)); }

    /// Runs `read`, and records the InvalidInput that it throws as a mistake. Returns whether it threw nothing.
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

    /// Whether a mistake is about `key` or something that contains it: a mistake about `scheduler` concerns
    /// `scheduler.max`.
    bool concern(std::string_view key) const;

    /// Whether a mistake is about `key` or something in it.
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
