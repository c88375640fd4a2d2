#include "launch/doctor/finding.hpp"

#include <fmt/format.h>

#include "core/words.hpp"

namespace crescendo::launch {

const char* name_of(Verdict verdict) {
    static constexpr Words verdicts{
        {std::pair{Verdict::ok, "ok"}, {Verdict::warning, "warning"}, {Verdict::problem, "problem"}}};
    return verdicts.of(verdict);
}

std::string size_text(double bytes) {
    for (const char* unit : {"B", "KiB", "MiB", "GiB"}) {
        if (bytes < 1024) {
            return fmt::format("{:.3g} {}", bytes, unit);
        }
        bytes /= 1024;
    }
    return fmt::format("{:.3g} TiB", bytes);
}

}  // namespace crescendo::launch
