#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer::test;
using nlohmann::json;

TEST_CASE("crescendo-trainer --check answers on standard output") {
    const SweepFixture sweep;
    const auto request = (sweep.folder / "request.json").string();
    const auto answer = (sweep.folder / "answer.json").string();
    json settings = small_cnn(sweep.train);
    settings["lr"] = -1;
    std::ofstream(request) << json{{"settings", settings}, {"parameters", json::object()}};

    const int status = std::system((path_of("crescendo-trainer") + " --check < " + request + " > " + answer).c_str());

    CHECK(status == 0);
    std::ifstream in(answer);
    CHECK(json::parse(in)["problems"][0]["key"] == "trainer.lr");
}

TEST_CASE("crescendo-trainer counts the classes of a set once, not once for each trial") {
    const SweepFixture sweep;
    const std::int64_t count = 4096;
    const auto location = write_images(sweep.folder / "many.h5", "fine", count, /*seed=*/3, /*chunk_samples=*/1);
    const auto reads_of_second_trial = [&](const json& more, const std::string& name) {
        FakeCrescendo crescendo(1, path_of("crescendo-trainer"));
        auto terms = sweep.terms(name);
        terms.settings = small_cnn(location);
        terms.settings.update(more);
        crescendo.train({0}, "new", terms, 1);
        crescendo.leave({0}, /*save=*/false);
        const auto before = crescendo.num_reads(0);
        terms.trial = 1;
        crescendo.train({0}, "new", terms, 1);
        return crescendo.num_reads(0) - before;
    };

    const auto told = reads_of_second_trial({{"classes", 4}}, "told");
    const auto counted = reads_of_second_trial(json::object(), "counted");

    CHECK(counted - told < count / 4);
}

TEST_CASE("crescendo-trainer reads a checkpoint tensor by tensor, not a few bytes at a time") {
    const SweepFixture sweep;
    auto terms = sweep.terms("trial");
    terms.settings = {{"model", "mlp"}, {"width", 1024}, {"lr", 0.01}, {"data", {{"train", sweep.train}}}};
    FakeCrescendo crescendo(1, path_of("crescendo-trainer"));
    crescendo.train({0}, "new", terms, 1);
    REQUIRE(crescendo.leave({0}, /*save=*/true));
    CHECK(std::filesystem::file_size(terms.directory / "checkpoint.pt") > 4 << 20);  // 1,024 x 1,024 weights
    const auto before = crescendo.num_reads(0);

    crescendo.train({0}, "checkpoint", terms, 1);

    const auto reads = crescendo.num_reads(0) - before;
    CHECK(reads < 300);
}

TEST_CASE("crescendo-trainer loads its GPU module and reports that there is no GPU") {
    const crescendo::tests::TemporaryFolder folder;
    const auto words = (folder / "words").string();
    const std::string hidden = "CRESCENDO_DEVICE=cuda CUDA_VISIBLE_DEVICES= ";  // hides any GPUs

    const int status = std::system((hidden + path_of("crescendo-trainer") + " 2> " + words).c_str());

    CHECK(WEXITSTATUS(status) == 1);
    const bool has_module = std::filesystem::exists(path_of("libcrescendo_cuda.so"));
    CHECK_MESSAGE(content(words).find(has_module ? "CUDA finds no GPU here" : "cannot use a GPU") != std::string::npos,
                  content(words));
}
