#include "launch/sweep_file/sections/keep.hpp"

namespace crescendo::launch {

Keep read_keep(const YamlSection& file, bool has_trainer, bool has_warm_trainers) {
    const auto section = file.section("keep", "{best: 5}");
    Keep keep;
    if (!section) {
        return keep;
    }
    section->allow({"best", "programs"});
    keep.best = section->integer_from(1, "best").value_or(1);
    keep.programs = section->choice("programs", programs_kept).value_or(Keep::Programs::all);
    if (has_trainer && section->has("programs")) {
        section->fail("programs",
                      "applies to the files of a program, but crescendo-trainer leaves only checkpoints, to which "
                      "keep.best applies; remove it");
    }
    if (!has_trainer && !has_warm_trainers && section->has("best") && keep.programs == Keep::Programs::all) {
        section->fail("best",
                      "has no effect, because all files of a program are kept; to delete those of other trials, add "
                      "programs: best, or programs: finished");
    }
    return keep;
}

}  // namespace crescendo::launch
