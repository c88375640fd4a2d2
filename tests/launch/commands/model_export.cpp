#include <algorithm>

#include "tests/launch/commands/measured_sweep.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

namespace {

/// Has a sweep's trainer answer requests for an export with a line and an exit status.
void answer_exports(const MeasuredSweep& sweep, const std::string& answer, int status = 0) {
    write_file(sweep.folder / "trainer",
               "#!/bin/bash\ncat > " + (sweep.folder / "request").string() + "\necho '" + answer + "'\nexit " +
                   std::to_string(status) + "\n");
}

auto num_partial(const fs::path& folder) {
    return std::count_if(fs::directory_iterator(folder), {},
                         [](const auto& entry) { return contains(entry.path().filename().string(), ".partial"); });
}

}  // namespace

TEST_CASE("best --export asks the trainer for the model, and adds the parameters") {
    const MeasuredSweep sweep;
    answer_exports(sweep, R"({"resource":8,"files":["load.py","model.pt"]})");
    fs::create_directory(sweep.folder / "out");  // an empty folder is allowed

    const auto result = sweep.run({"best", "s", "--export", "out"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(contains(result.out, "out: trial 0 at 8: parameters.json, load.py, model.pt\n"));
    CHECK(contains(result.err,
                   "trial 0 has reported at 9, but its last checkpoint is from its report at 8; its later training "
                   "is lost; `crescendo retrain s --trial 0` trains it again\n"));
    CHECK(Json::parse(content_of(sweep.folder / "out/parameters.json")).contains("x"));
    const auto request = Json::parse(content_of(sweep.folder / "request"));
    CHECK(request.at("checkpoint") == (sweep.folder / "s/trials/000000/checkpoint.pt").string());
    CHECK(request.at("working_directory") == sweep.folder.path().string());
    CHECK(request.at("settings").at("data").at("train") == "d.h5:/train");
    CHECK(num_partial(sweep.folder.path()) == 0);
}

TEST_CASE("best --export of a trial that has not ended says when there is more to export") {
    const MeasuredSweep sweep;
    answer_exports(sweep, R"({"resource":7,"files":["load.py","model.pt"]})");
    record_sweep(sweep.folder / "t", content_of(sweep.folder / "s/sweep.yaml"), {{1, 0, 8, 0.9}});
    fs::copy_file(sweep.folder / "s/run.json", sweep.folder / "t/run.json", fs::copy_options::overwrite_existing);
    fs::create_directories(sweep.folder / "t/trials/000000");
    write_file(sweep.folder / "t/trials/000000/checkpoint.pt", "");

    const auto result = sweep.run({"best", "t", "--export", "out"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(contains(result.err, "its last checkpoint is from its report at 7; export again once it has ended\n"));
}

TEST_CASE("best --export does not touch a user's folder OUT.partial and accepts a name with a trailing slash") {
    const MeasuredSweep sweep;
    answer_exports(sweep, R"({"resource":8,"files":["load.py","model.pt"]})");
    fs::create_directory(sweep.folder / "out.partial");
    write_file(sweep.folder / "out.partial/thesis", "mine");

    const auto result = sweep.run({"best", "s", "--export", "out/"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(content_of(sweep.folder / "out.partial/thesis") == "mine");
    CHECK(fs::exists(sweep.folder / "out/parameters.json"));
}

TEST_CASE("best --export refuses what it cannot export and leaves nothing behind") {
    const MeasuredSweep sweep;
    answer_exports(sweep, "crescendo-trainer: the data are gone", 2);
    write_file(sweep.folder / "file", "mine");
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
        std::vector<std::string> all{"best", "s", "--export"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const auto result = sweep.run(all);
        CHECK(result.code == 2);
        CHECK_MESSAGE(contains(result.err, message), result.err);
        CHECK_FALSE(fs::exists(sweep.folder / "out"));
        CHECK(num_partial(sweep.folder.path()) == 0);
    };

    refused({"out"}, "trial 0 cannot be exported: crescendo-trainer: the data are gone");
    refused({"out", "--trial", "7"}, "s has no trial 7; `crescendo trials s` lists them");
    refused({"out", "--trial", "1"}, "trial 1 has no checkpoint in s/trials/000001");
    refused({"s"}, "s already exists and is not an empty folder, but an export needs one of its own");
    refused({"file"}, "file already exists");
    refused({"file/out"}, "cannot create the folder file/out.partial.");
    refused({"file/out"}, "name another one");
    CHECK(sweep.run({"best", "s", "--trial", "0"}).code == 2);  // without --export it means nothing
}

TEST_CASE("the export of a program's trial has its parameters and names the folder of its files") {
    const OldSweep sweep;

    const auto result = sweep.run({"best", "s", "--export", "out"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(contains(result.out, "only that program knows the model; it saved nothing in s/trials/000000 (${t"));
    CHECK(Json::parse(content_of(sweep.folder / "out/parameters.json")).is_object());
    write_file(sweep.folder / "s/trials/000000/weights", "1");
    CHECK(contains(sweep.run({"best", "s", "--export", "other"}).out, "its files are in s/trials/000000\n"));
}
