#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "launch/import/optuna_study.hpp"
#include "launch/json/bare_words.hpp"

namespace crescendo::launch {
namespace {

// Numbers of optuna.storages.journal.JournalOperation.
enum Operation { create_study = 0, delete_study = 1, set_study_system_attr = 3, create_trial = 4, set_trial_param = 5 };

/// Reads studies by their numbers, without deleted ones.
class JournalReader {
  public:
    void take(const OrderedJson& record) {
        const int operation = record.at("op_code");
        if (operation == create_study) {
            OptunaStudy study{.name = record.at("study_name")};
            if (has(study.name)) {
                return;  // another worker, with load_if_exists: Optuna gives it no new number
            }
            for (const int direction : record.at("directions")) {
                study.minimizes.push_back(direction != 2);  // optuna.study.StudyDirection.MAXIMIZE
            }
            studies_[num_studies_++] = study;
            return;
        }
        const auto study = record.contains("trial_id") ? study_of_trial_.find(record.at("trial_id"))
                                                       : study_of_trial_.end();
        const int id = record.contains("study_id")        ? record.at("study_id").get<int>()
                       : study != study_of_trial_.end() ? study->second
                                                        : -1;
        const auto found = studies_.find(id);
        if (found == studies_.end()) {
            return;
        }
        if (operation == delete_study) {
            studies_.erase(found);
        } else if (operation == set_study_system_attr && record.at("system_attr").contains("study:metric_names")) {
            found->second.metrics = record.at("system_attr").at("study:metric_names").get<std::vector<std::string>>();
        } else if (operation == create_trial) {
            study_of_trial_[num_trials_++] = id;
            ++found->second.num_trials;
            const auto distributions = record.value("distributions", OrderedJson::object());
            for (const auto& [name, distribution] : distributions.items()) {
                found->second.add(name, distribution.template get<std::string>(), 1);
            }
        } else if (operation == set_trial_param) {
            found->second.add(record.at("param_name"), record.at("distribution"), 1);
        }
    }

    std::vector<OptunaStudy> studies() const {
        return mapped(studies_, [](const auto& each) { return each.second; });
    }

  private:
    bool has(const std::string& name) const {
        return std::ranges::any_of(studies_, [&](const auto& each) { return each.second.name == name; });
    }

    std::map<int, OptunaStudy> studies_;
    std::map<int, int> study_of_trial_;
    int num_studies_ = 0;
    int num_trials_ = 0;
};

}  // namespace

std::vector<OptunaStudy> studies_of_journal(const std::string& text, const std::string& path) {
    JournalReader reader;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const bool is_torn = lines.eof();  // a last line without a line feed is still being written
        if (is_torn || line.empty()) {
            continue;
        }
        try {
            reader.take(OrderedJson::parse(without_bare_words(line)));  // NaN becomes null, and is not needed
        } catch (const OrderedJson::exception&) {
            throw InvalidInput(fmt::format(
                "{}:{}: is not a record of an Optuna journal; give a journal that Optuna can read", path, number));
        }
    }
    return reader.studies();
}

}  // namespace crescendo::launch
