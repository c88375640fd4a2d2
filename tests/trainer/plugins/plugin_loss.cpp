#include "trainer/plugins/plugin_loss.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/plugins/plugin_libraries.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/objective.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

Settings settings_of_loss(const std::string& library, const std::string& loss) {
    return settings_of({{"plugins", {plugin_library(library)}}, {"model", "mlp"}, {"loss", loss}});
}

}  // namespace

TEST_CASE("a plug-in's loss is computed with its options") {
    const Settings settings =
        settings_of({{"plugins", {plugin_library("mine")}}, {"loss", "log_cosh"}, {"scale", 0.5}});
    const at::Tensor outputs = at::tensor({1.0F, -2.0F}).reshape({1, 2});
    const at::Tensor targets = at::tensor({0.5F, 2.0F}).reshape({1, 2});

    const double loss = loss_sum(settings.loss.of_evaluation(), two_numbers(), {}, outputs, targets).item<double>();

    CHECK(loss == doctest::Approx(0.5 * (std::log(std::cosh(1.0)) + std::log(std::cosh(8.0))) / 2));
    CHECK(text_of(misfits_of_task(settings, two_numbers())) == "");
}

TEST_CASE("a plug-in's loss is refused before a trial starts if it is misshapen, detached, random or unsuitable") {
    const auto problem = [](const std::string& loss) {
        return text_of(misfits_of_task(settings_of_loss("trouble", loss), two_numbers()));
    };

    CHECK(has(problem("mean"), "trainer.loss: the loss mean of "));
    CHECK(has(problem("mean"), "returns a single number for 2 samples; it must return one loss for each"));
    CHECK(has(problem("detached"), "has no gradient with respect to the outputs"));
    CHECK(has(problem("random"), "gives different losses for the same outputs and targets: it draws random numbers"));
    CHECK(has(problem("thrower"), "trouble.so threw in its function: no such target"));
    CHECK(has(text_of(misfits_of_task(settings_of_loss("mine", "log_cosh"), four_classes())), "log_cosh of "));
}

TEST_CASE("a plug-in's loss gives one number for each sample, so it is refused with row weights") {
    Task task = two_numbers();
    task.row_weights = {0.5, 1.5};

    const auto problems = misfits_of_task(settings_of_loss("mine", "log_cosh"), task);

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.latitude");
    CHECK(has(problems[0].message, "the plug-in loss log_cosh gives one number for each sample"));
}
