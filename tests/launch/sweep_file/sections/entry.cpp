#include "launch/sweep_file/sections/entry.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

const std::string sweep =
    "metric: {name: accuracy, goal: maximize}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
    "scheduler: {type: fifo, max: 1}\ncommand: [train]\n";

Entry entry_in(const std::string& section) { return parse_sweep(sweep + "entry: " + section, "s.yaml").entry; }

}  // namespace

TEST_CASE("an entry has the sweep file's keys or DAWNBench's keys") {
    const auto ours = entry_in("{author: Jane, author_email: j@x, code_url: u, cost_per_hour: 2.5, misc: {note: 1}}");
    const auto theirs = entry_in("{author: Jane, authorEmail: j@x, codeURL: u, costPerHour: 2.5}");

    CHECK(ours.author == "Jane");
    CHECK(ours.author_email == "j@x");
    CHECK(ours.code_url == "u");
    CHECK(ours.cost_per_hour == 2.5);
    CHECK(ours.misc.at("note") == 1);
    CHECK(!ours.hardware);
    CHECK(theirs.author_email == "j@x");
    CHECK(theirs.code_url == "u");
    CHECK(theirs.cost_per_hour == 2.5);
}

TEST_CASE("an entry takes its missing values from another entry") {
    Entry options;
    options.author = "John";
    const auto file = entry_in("{author: Jane, model: cnn, cost_per_hour: 2, misc: {note: 1}}");

    const auto entry = options.or_else(file);

    CHECK(entry.author == "John");
    CHECK(entry.model == "cnn");
    CHECK(entry.cost_per_hour == 2);
    CHECK(entry.misc.at("note") == 1);
}

TEST_CASE("messages about mistakes in an entry name the line and the key") {
    const auto error_of = [](const std::string& section) { return tests::error_of([&] { entry_in(section); }); };

    CHECK(error_of("{autor: Jane}").find("s.yaml:6:9: entry.autor: unknown key (did you mean 'author'?)") == 0);
    CHECK(error_of("{cost_per_hour: -1}").find("is not a price") != std::string::npos);
    CHECK(error_of("{author: 3}").find("entry.author: 3 is a whole number") != std::string::npos);
}
