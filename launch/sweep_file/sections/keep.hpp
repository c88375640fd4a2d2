#pragma once

#include "core/words.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// What stays of the folders of trials that have ended: `keep:` of the sweep file. It decides nothing about trials, so
/// it may change at any time.
struct Keep {
    /// The trials whose programs' files stay, beside those that failed or have not ended.
    enum class Programs {
        all,
        finished,  ///< those that finished, and the best
        best,
    };

    int best = 1;  ///< how many trials keep their checkpoint, and all their files; the best by their last value
    Programs programs = Programs::all;
};

inline constexpr Words programs_kept{{std::pair{Keep::Programs::all, "all"},
                                      {Keep::Programs::finished, "finished"},
                                      {Keep::Programs::best, "best"}}};

/// Reads the section `keep`, as in `{best: 5, programs: finished}`. What it says must fit what trains the trials; this
/// must have been read before.
Keep read_keep(const YamlSection& file, bool has_trainer, bool has_warm_trainers);

}  // namespace crescendo::launch
