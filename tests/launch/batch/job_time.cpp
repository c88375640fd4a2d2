#include "launch/batch/job_time.hpp"

#include <doctest/doctest.h>

using crescendo::launch::job_time_text;
using crescendo::launch::parse_job_time;
using std::chrono::seconds;

TEST_CASE("a job's time is read as sbatch reads it") {
    CHECK(parse_job_time("10") == seconds(600));
    CHECK(parse_job_time("10:30") == seconds(630));
    CHECK(parse_job_time("90:00") == seconds(5400));
    CHECK(parse_job_time("8:00:00") == seconds(8 * 3600));
    CHECK(parse_job_time("08:05:09") == seconds(8 * 3600 + 5 * 60 + 9));
    CHECK(parse_job_time("1-12") == seconds(36 * 3600));
    CHECK(parse_job_time("1-12:30") == seconds(36 * 3600 + 1800));
    CHECK(parse_job_time("1-12:30:15") == seconds(36 * 3600 + 1815));
}

TEST_CASE("a job's time may have units, as elsewhere") {
    CHECK(parse_job_time("8h") == seconds(8 * 3600));
    CHECK(parse_job_time("1h30m") == seconds(5400));
    CHECK(parse_job_time("45s") == seconds(45));
}

TEST_CASE("text that is not a job's time is refused") {
    for (const auto* text : {"", "-", "1-", "-12", "1.5", "ten", "10:", ":10", "10:60", "1:60:00", "1:2:3:4", "1-2-3",
                             "1-2:3:4:5", " 10", "9999999999", "8h:30"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_job_time(text).has_value());
    }
}

TEST_CASE("a job's time is written in hours, even beyond a day") {
    CHECK(job_time_text(seconds(30 * 3600 + 61)) == "30:01:01");
    CHECK(parse_job_time(job_time_text(seconds(400 * 3600))) == seconds(400 * 3600));
}
