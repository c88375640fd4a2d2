#include "trainer/network_check.hpp"

#include <nlohmann/json.hpp>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("settings that name parameters or files are checked against the network before a trial begins") {
    Task task;
    task.input_shape = {8, 8};
    task.num_outputs = 2;
    task.num_samples = 4;
    const auto keys = [&](const nlohmann::json& settings) {
        std::vector<std::string> all;
        for (const auto& problem : misfits_of_network(settings_of(settings), task)) {
            all.push_back(problem.key);
        }
        return all;
    };
    using Keys = std::vector<std::string>;

    CHECK(keys({{"model", "cnn"}}).empty());
    CHECK(keys({{"model", "cnn"}, {"lr_factors", {{"conv1", 0}, {"output", {{"bias", 2}}}}}}).empty());
    CHECK(keys({{"model", "cnn"}, {"lr_factors", {{"output", {{"scale", 2}}}}}}) ==
          Keys{"trainer.lr_factors.output.scale"});
    CHECK(keys({{"model", "cnn"}, {"init_from", "none.pt"}}) == Keys{"trainer.init_from"});
}
