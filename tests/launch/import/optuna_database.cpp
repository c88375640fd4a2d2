#include <doctest/doctest.h>
#include <sqlite3.h>

#include <filesystem>

#include "launch/files/read_file.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/import/import_a_file.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// The tables of Optuna's storage (schema 12) that matter here, with two studies.
const char* const statements = R"(
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512));
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER,
                               objective INTEGER);
CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER PRIMARY KEY, study_id INTEGER,
                                      key VARCHAR(512), value_json TEXT);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT,
                           distribution_json TEXT);
INSERT INTO studies VALUES (1, 'first'), (2, 'second');
INSERT INTO study_directions VALUES (1, 'MAXIMIZE', 1, 0), (2, 'MINIMIZE', 2, 0);
INSERT INTO study_system_attributes VALUES (1, 1, 'study:metric_names', '["accuracy"]');
INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE'), (2, 1, 1, 'PRUNED');
INSERT INTO trial_params VALUES
  (1, 1, 'x', 0.5, '{"name": "FloatDistribution", "attributes": {"low": 0.0, "high": 1.0, "log": false}}'),
  (2, 1, 'n', 3.0, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 2, "high": 8}}'),
  (3, 2, 'x', 0.7, '{"name": "FloatDistribution", "attributes": {"low": 0.0, "high": 1.0, "log": false}}');
)";

ForeignFile database_in(const TemporaryFolder& folder, std::optional<std::string> study = {}) {
    const auto path = (folder / "study.db").string();
    sqlite3* database = nullptr;
    REQUIRE(::sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(::sqlite3_exec(database, statements, nullptr, nullptr, nullptr) == SQLITE_OK);
    ::sqlite3_close(database);
    return {path, read_file(path), std::move(study)};
}

}  // namespace

TEST_CASE("a study in a database keeps its name, its direction and the order of its parameters") {
    const TemporaryFolder folder;

    const auto text = text_of(import_file(database_in(folder, "first")), "study.db");

    CHECK(contains(text, "# From study.db, an Optuna database.\n"));
    CHECK(contains(text, "name: first\nmetric: {name: accuracy, goal: maximize}\nrun_cap: 2"));
    CHECK(contains(text,
                   "  x: {distribution: uniform, min: 0.0, max: 1.0}\n"
                   "  n: {min: 2, max: 8}  # 1 of 2 trials have it; if other parameters decide that, add when:\n"));
}

TEST_CASE("if a database has several studies, one must be named") {
    const TemporaryFolder folder;

    CHECK(contains(error_of([&] { import_file(database_in(folder)); }), "add --study with one of 'first', 'second'"));
}

TEST_CASE("another program's database is refused") {
    const TemporaryFolder folder;
    const auto path = (folder / "other.db").string();
    sqlite3* database = nullptr;
    REQUIRE(::sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(::sqlite3_exec(database, "CREATE TABLE t (x INTEGER)", nullptr, nullptr, nullptr) == SQLITE_OK);
    ::sqlite3_close(database);

    const auto error = error_of([&] { import_file({path, read_file(path)}); });

    CHECK(contains(error, "other.db: cannot be read as an Optuna database: no such table: studies"));
}

TEST_CASE("a database that cannot be read is refused with a remedy") {
    const TemporaryFolder folder;
    auto file = database_in(folder, "first");
    const auto refusal = [&] { return error_of([&] { import_file(file); }); };
    const auto change = [&](const char* statement, auto&& look) {
        sqlite3* database = nullptr;
        REQUIRE(::sqlite3_open(file.path.c_str(), &database) == SQLITE_OK);
        REQUIRE(::sqlite3_exec(database, statement, nullptr, nullptr, nullptr) == SQLITE_OK);
        look();
        ::sqlite3_close(database);
    };

    change("BEGIN EXCLUSIVE",
           [&] { CHECK(contains(refusal(), "database is locked; a study is writing to it, so try again")); });
    // As in Optuna 1, whose studies had one direction each.
    change("DROP TABLE study_directions", [&] {
        CHECK(contains(refusal(),
                       "no such table: study_directions; if an older Optuna wrote it, `optuna storage upgrade "
                       "--storage sqlite:///" +
                           file.path));
    });
    std::filesystem::resize_file(file.path, 4096);
    CHECK(contains(refusal(), "malformed; copy it again while no study writes to it"));
}
