#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/journal/limits_change.hpp"
#include "launch/json/json.hpp"
#include "launch/sweep_file/keys/earlier_defaults.hpp"
#include "launch/sweep_file/keys/flat_keys.hpp"
#include "launch/sweep_file/keys/overrides.hpp"

namespace crescendo::launch {

/// What a sweep's file said when its journal began. The past follows from it, so a file that says something else now is
/// refused. Keys that may change are the exception.
class FrozenFile {
  public:
    /// Throws InvalidInput if `text` is not YAML. `path` is the file's name in messages, and `defaults` the number of
    /// the defaults with which the sweep began.
    explicit FrozenFile(const std::string& text, const std::filesystem::path& path, int defaults = present_defaults);

    /// Reads it from a journal. Returns nothing if an older Crescendo began the journal and no newer one has continued
    /// it.
    static std::optional<FrozenFile> recorded_in(const std::filesystem::path& journal);

    /// The value of the key "file" in the journal's header, or in a note.
    Json to_json() const;

    /// Throws InvalidInput that names file, line and key if `text` differs in a key that may not change. Keys that only
    /// describe the sweep may.
    void require_same(const std::string& text, const std::filesystem::path& path) const;

    /// What the present file need not say any more: the keys that may change, with the values that the sweep began
    /// with, and the defaults of that time.
    std::vector<Override> beginning() const;

    /// Keys that may change and that differ between `text` and what the journal last had of the file, with their values
    /// in `text`.
    std::vector<Override> edits(const std::vector<LimitsChange>& changes, const std::string& text,
                                const std::filesystem::path& path) const;

  private:
    FrozenFile() = default;

    std::string digest_;
    FlatKeys keys_;
    int defaults_ = 1;
};

/// A record of what the file says, for a journal that lacks one.
Json file_note(double time, const FrozenFile& file);

}  // namespace crescendo::launch
