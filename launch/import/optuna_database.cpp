#include <fmt/format.h>
#include <sqlite3.h>

#include <functional>
#include <memory>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/shell_words.hpp"
#include "launch/import/optuna_study.hpp"

namespace crescendo::launch {
namespace {

/// An SQLite database, opened for reading only.
class Database {
  public:
    explicit Database(const std::string& path) : path_(path) {
        sqlite3* handle = nullptr;
        const int status = ::sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
        handle_.reset(handle);
        require(status == SQLITE_OK);
    }

    using Row = std::vector<std::string>;

    /// Passes every row to `take`, as texts.
    void query(const char* statement, const std::function<void(const Row&)>& take) const {
        sqlite3_stmt* handle = nullptr;
        require(::sqlite3_prepare_v2(handle_.get(), statement, -1, &handle, nullptr) == SQLITE_OK);
        const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> prepared(handle, ::sqlite3_finalize);
        int status = SQLITE_ROW;
        while ((status = ::sqlite3_step(handle)) == SQLITE_ROW) {
            Row row;
            for (int i = 0; i < ::sqlite3_column_count(handle); ++i) {
                const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(handle, i));
                row.emplace_back(text != nullptr ? text : "");
            }
            take(row);
        }
        require(status == SQLITE_DONE);
    }

  private:
    void require(bool is_ok) const {
        CRESCENDO_VALIDATE(is_ok, "", "{}: cannot be read as an Optuna database: {}; {}", path_,
                           ::sqlite3_errmsg(handle_.get()), remedy());
    }

    std::string remedy() const {
        const int error = ::sqlite3_errcode(handle_.get());
        return error == SQLITE_ERROR  // a table or column is missing
                   ? fmt::format("if an older Optuna wrote it, `optuna storage upgrade --storage {}` converts it",
                                 shell_quoted("sqlite:///" + path_))
                   : error == SQLITE_BUSY ? "a study is writing to it, so try again"
                                          : "copy it again while no study writes to it";
    }

    std::string path_;
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_{nullptr, ::sqlite3_close};
};

}  // namespace

std::vector<OptunaStudy> studies_of_database(const std::string& path) {
    const Database database(path);
    std::map<std::string, OptunaStudy> studies;  // by id
    database.query("SELECT study_id, study_name FROM studies",
                   [&](const auto& row) { studies[row[0]].name = row[1]; });
    database.query("SELECT study_id, direction FROM study_directions ORDER BY objective", [&](const auto& row) {
        studies[row[0]].minimizes.push_back(row[1] != "MAXIMIZE");
    });
    database.query("SELECT study_id, value_json FROM study_system_attributes WHERE key = 'study:metric_names'",
                   [&](const auto& row) {
                       studies[row[0]].metrics = OrderedJson::parse(row[1]).template get<std::vector<std::string>>();
                   });
    database.query("SELECT study_id, COUNT(*) FROM trials GROUP BY study_id",
                   [&](const auto& row) { studies[row[0]].num_trials = std::stoi(row[1]); });
    // One row per distribution, not per trial.
    database.query(
        "SELECT study_id, param_name, distribution_json, COUNT(*) FROM trial_params NATURAL JOIN trials "
        "GROUP BY study_id, param_name, distribution_json ORDER BY MIN(param_id)",
        [&](const auto& row) { studies[row[0]].add(row[1], row[2], std::stoi(row[3])); });
    return mapped(studies, [](const auto& each) { return each.second; });
}

}  // namespace crescendo::launch
