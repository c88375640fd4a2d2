#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/record/limits_change.hpp"
#include "launch/sweep_file/flat_keys.hpp"
#include "launch/sweep_file/overrides.hpp"

namespace crescendo::launch {

/// What a sweep's file said when its journal began. The past follows from it: a file that says something else now, but
/// for the keys that may change, is refused.
class FrozenFile {
  public:
    /// Throws InvalidInput where `text` is not YAML; `path` as messages shall name it.
    explicit FrozenFile(const std::string& text, const std::filesystem::path& path);

    /// Of a journal. Nothing where an older crescendo began it, and none of today has continued it.
    static std::optional<FrozenFile> recorded_in(const std::filesystem::path& journal);

    /// For the journal's header, or for a note; under the key "file".
    Json to_json() const;

    /// Throws InvalidInput that names file, line and key where `text` says something else that may not change.
    void require_same(const std::string& text, const std::filesystem::path& path) const;

    /// The keys that may change, with the values that the sweep began with.
    std::vector<Override> limits() const;

    /// The keys that may change and that are other in `text` now than in what the journal last had of the file, with
    /// their values now.
    std::vector<Override> edits(const std::vector<LimitsChange>& changes, const std::string& text,
                                const std::filesystem::path& path) const;

  private:
    FrozenFile() = default;

    std::string digest_;
    FlatKeys keys_;
};

/// A record of what the file says, for a journal that has none.
Json file_note(double time, const FrozenFile& file);

}  // namespace crescendo::launch
