#include "tests/trainer/settings_of.hpp"

#include <nlohmann/json.hpp>

#include "tests/trainer/normed_model.hpp"

namespace crescendo::trainer::test {

Settings settings_of(nlohmann::json section) {
    if (!section.contains("data")) {
        section["data"]["train"] = "none";
    }
    std::vector<Problem> problems;
    Settings settings = parse_settings(section, catalogue_with_normed(), problems);
    require_none(problems);
    return settings;
}

}  // namespace crescendo::trainer::test
