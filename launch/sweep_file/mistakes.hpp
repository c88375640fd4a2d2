#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "launch/sweep_file/source_map.hpp"

namespace crescendo::launch {

/// Thrown where a value cannot be read and its mistake is known already.
struct AlreadyTold {};

/// All that is wrong with one file, so that it can be said at once.
///
/// Whoever reads a file attempts what does not depend on each other, and leaves out what depends on something that is
/// mistaken: a mistake must not cause a second message.
class Mistakes {
  public:
    /// `key` as in InvalidInput.
    void add(std::string key, std::string message);

    /// That `key` is missing follows from another mistake, its own name misspelt: nothing about it is told.
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

    /// Whether any is about `key`, or about what holds it: one about `scheduler` concerns `scheduler.max`.
    bool concern(std::string_view key) const;

    /// Whether any is about `key` or about something in it.
    bool lie_in(std::string_view key) const;

    /// Throws InvalidInput with all of them, by their place in the file, and with their number where there are
    /// several; nothing where there are none.
    void throw_if_any(const SourceMap& source) const;

  private:
    struct Mistake {
        std::string key;
        std::string message;
    };

    std::vector<Mistake> all_;
    std::vector<std::string> excused_;
};

}  // namespace crescendo::launch
