#include "trainer/checkpoint/checkpoint_pace.hpp"

#include <doctest/doctest.h>

using namespace crescendo::trainer;
using namespace std::chrono_literals;

namespace {

const CheckpointPace::Time start;

}  // namespace

TEST_CASE("by default a checkpoint is due after ten minutes, or later if writing is slow") {
    CheckpointPace pace(std::nullopt, start);

    CHECK_FALSE(pace.is_due(start + 599s));
    CHECK(pace.is_due(start + 600s));
    pace.note_written(start + 600s, start + 603s);
    CHECK(pace.is_due(start + 1200s));
    pace.note_written(start + 1200s, start + 1209s);  // 1 % of 900 s
    CHECK_FALSE(pace.is_due(start + 2099s));
    CHECK(pace.is_due(start + 2100s));
}

TEST_CASE("a configured checkpoint interval holds however long writing takes, and zero means never") {
    CheckpointPace pace(60s, start);
    const CheckpointPace off(0s, start);

    pace.note_written(start, start + 30s);

    CHECK_FALSE(pace.is_due(start + 59s));
    CHECK(pace.is_due(start + 60s));
    CHECK_FALSE(off.is_due(start + 24h));
}
