#include "launch/batch/job_request.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("the user's options take precedence over the site's, and additional options add up") {
    JobOptions site;
    site.nodes = 2;
    site.partition = "gpu";
    site.more = {"--constraint=a100"};
    site.slots_per_gpu = 2;
    JobOptions user;
    user.nodes = 8;
    user.more = {"--exclusive"};

    const auto both = user.over(site);

    CHECK(both.nodes == 8);
    CHECK(both.partition == "gpu");
    CHECK(both.slots_per_gpu == 2);
    CHECK(both.more == std::vector<std::string>{"--constraint=a100", "--exclusive"});
    CHECK(Json(Json(both).get<JobOptions>()) == Json(both));
}

TEST_CASE("the options of a sweep that was submitted earlier are read back") {
    const auto options =
        Json::parse(R"({"nodes": 2, "time_seconds": 3600, "sbatch": ["--exclusive"]})").get<JobOptions>();

    CHECK(options.nodes == 2);
    CHECK(options.time == std::chrono::hours(1));
    CHECK(options.more == std::vector<std::string>{"--exclusive"});
    CHECK_FALSE(options.account);
}
