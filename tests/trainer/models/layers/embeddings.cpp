#include "trainer/models/layers/embeddings.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/normed_model.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings_check.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

std::shared_ptr<Model> table_model(Json settings, std::int64_t num_columns) {
    settings["model"] = "mlp";
    return settings_of(settings).model->make({.input_shape = {num_columns}, .target_shape = {}, .num_outputs = 2});
}

}  // namespace

TEST_CASE("a code is replaced by the vector of its category, between the neighbouring columns") {
    const auto model = table_model({{"depth", 0}, {"categories", {{"1", 3}}}, {"embedding_width", 2}}, 3);
    const auto parameters = model->named_parameters();
    const at::Tensor vectors = parameters["embedding1.weight"];
    const double nan = std::nan("");
    const at::Tensor codes = at::tensor({0.0, 2.0, 3.0, -1.0, 1.5, nan}, at::kFloat);
    const at::Tensor rows = at::stack({at::full_like(codes, 5), codes, at::full_like(codes, 7)}, 1);

    const at::Tensor outputs = model->forward(rows);

    REQUIRE(vectors.sizes() == at::IntArrayRef({3 + 1, 2}));
    CHECK(at::equal(vectors[3], at::zeros({2})));  // for everything that is not a code
    const std::vector<std::int64_t> vector_of_row{0, 2, 3, 3, 3, 3};
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
        const at::Tensor row =
            at::cat({at::tensor({5.0F}), vectors[vector_of_row[static_cast<std::size_t>(i)]], at::tensor({7.0F})});
        CHECK(at::allclose(outputs[i], parameters["output.weight"].mv(row) + parameters["output.bias"]));
    }
    outputs.sum().backward();
    CHECK(vectors.grad()[1].abs().sum().item<double>() == 0);  // no row has this category
    CHECK(vectors.grad()[2].abs().sum().item<double>() > 0);
}

TEST_CASE("the vectors of a column have half as many numbers as there are categories, but at most 50") {
    const auto model = table_model({{"categories", {{"0", 5}, {"1", 1000}, {"2", 1}}}}, 3);
    CHECK(model->named_parameters()["embedding0.weight"].size(1) == 3);
    CHECK(model->named_parameters()["embedding1.weight"].size(1) == 50);
    CHECK(model->named_parameters()["embedding2.weight"].size(1) == 1);
    CHECK(model->named_parameters()["hidden1.weight"].size(1) == 3 + 50 + 1);
}

TEST_CASE("columns that do not hold codes are refused by name") {
    const SweepFixture sweep;
    const auto numbers = write_numbers(sweep.folder / "numbers.h5", "train", 12);  // rows of three
    const auto problem_of = [&](const Json& categories, const Json& more = Json::object()) {
        Json settings = {{"model", "mlp"}, {"categories", categories}, {"data", {{"train", numbers}}}};
        settings.merge_patch(more);
        const auto problems = check_settings({{"settings", settings}}, catalogue_with_normed());
        return problems.empty() ? std::string() : problems[0].key + ": " + problems[0].message;
    };

    CHECK(problem_of({{"0", 12}}).empty());
    CHECK(problem_of({{"3", 12}}).starts_with("trainer.categories: 3 is not a column of "));
    CHECK(problem_of({{"x", 12}}).starts_with("trainer.categories: x is not a column of "));
    CHECK(problem_of({{"0", 0}}).starts_with("trainer.categories.0: 0 is not a number of categories"));
    CHECK(problem_of({{"0", 1.5}}).starts_with("trainer.categories.0: 1.5 is not a number of categories"));
    CHECK(problem_of({{"0", 12}}, {{"input_noise", 0.1}})
              .starts_with("trainer.input_noise: it would change category codes"));
    CHECK(problem_of({{"0", 12}}, {{"data", {{"normalize", {{"inputs", {{"mean", {1, 0, 0}}, {"std", {1, 1, 1}}}}}}}}})
              .find("column 0 of ") != std::string::npos);
    CHECK(problem_of({{"0", 12}}, {{"data", {{"train", sweep.train}}}}).find("rows of numbers") != std::string::npos);
}
