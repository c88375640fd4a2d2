#include "launch/sweep_file/keys/earlier_defaults.hpp"

#include <array>

namespace crescendo::launch {
namespace {

struct ChangedDefault {
    int last;  ///< the last version of the defaults that had this value
    const char* key;
    const char* value;
};

/// The older of two defaults of a key comes first: it applies to the oldest sweeps.
constexpr std::array changed_defaults{
    ChangedDefault{1, "scheduler.batch", "ladder"},       ChangedDefault{3, "scheduler.grow_when", "always"},
    ChangedDefault{4, "scheduler.distinct_gpus", "off"},  ChangedDefault{5, "scheduler.keep_diverged", "on"},
    ChangedDefault{6, "scheduler.capped_surplus", "off"}, ChangedDefault{7, "scheduler.second_try", "off"},
    ChangedDefault{8, "scheduler.hopeful_tries", "off"},  ChangedDefault{9, "scheduler.hopeful_tries", "on"},
};

}  // namespace

std::vector<Override> earlier_defaults(int number) {
    std::vector<Override> defaults;
    for (const auto& changed : changed_defaults) {
        if (number <= changed.last) {
            defaults.push_back({changed.key, changed.value, Override::Applies::in_section});
        }
    }
    return defaults;
}

}  // namespace crescendo::launch
