#pragma once

#include "core/words.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Which files of ended trials are kept: `keep:` of the sweep file. It affects no decision about trials, so it may
/// change at any time.
struct Keep {
    /// Trials whose programs' files are kept. Those of trials that failed or have not ended are always kept.
    enum class Programs {
        all,
        finished,  ///< trials that finished, and the best ones
        best,
    };

    int best = 1;  ///< number of best trials, by last value, that keep their checkpoint and all their files
    Programs programs = Programs::all;
};

inline constexpr Words programs_kept{{std::pair{Keep::Programs::all, "all"},
                                      {Keep::Programs::finished, "finished"},
                                      {Keep::Programs::best, "best"}}};

/// Reads the section `keep`, such as `{best: 5, programs: finished}`. Its keys must fit the trainer or program of the
/// sweep, which must have been read before.
Keep read_keep(const YamlSection& file, bool has_trainer, bool has_warm_trainers);

}  // namespace crescendo::launch
