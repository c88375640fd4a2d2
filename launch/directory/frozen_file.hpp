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

/// A sweep's file as it was when the journal began. The sweep's past follows from it, so a file that has changed is
/// refused, except in keys that may change.
class FrozenFile {
  public:
    /// `path` is the file's name in messages, and `defaults` the version of the defaults with which the sweep began.
    /// Throws InvalidInput if `text` is not YAML.
    explicit FrozenFile(const std::string& text, const std::filesystem::path& path, int defaults = present_defaults);

    /// Reads the frozen file from a journal. Returns nothing if an older Crescendo began the journal and no newer one
    /// has continued it.
    static std::optional<FrozenFile> recorded_in(const std::filesystem::path& journal);

    /// The value of the key "file" in the journal's header, or in a note.
    Json to_json() const;

    /// Throws InvalidInput that names file, line and key if `text` differs in a key that may not change. Keys that only
    /// describe the sweep may change.
    void require_same(const std::string& text, const std::filesystem::path& path) const;

    /// Overrides that turn the present file into the one with which the sweep began: the original values of keys that
    /// may change, and the defaults of that time.
    std::vector<Override> beginning() const;

    /// Keys that may change and whose values in `text` differ from the journal's last ones, with their values in
    /// `text`.
    std::vector<Override> edits(const std::vector<LimitsChange>& changes, const std::string& text,
                                const std::filesystem::path& path) const;

  private:
    FrozenFile() = default;

    std::string digest_;
    FlatKeys keys_;
    int defaults_ = 1;
};

/// A journal record of the file's contents, for a journal that lacks one.
Json file_note(double time, const FrozenFile& file);

}  // namespace crescendo::launch
