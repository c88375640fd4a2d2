#include "launch/sampling/sampler_messages.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "core/random.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

SearchSpace space() {
    return SearchSpace({{"lr", LogUniformValues{1e-5, 0.1}},
                        {"width", IntUniform{1, 64}},
                        {"momentum", Uniform{0, 1}, "width > 8"},
                        derived_parameter("area", "width * width")},
                       {"area <= 1024"});
}

std::string error_of(std::string_view line) {
    return tests::error_of<std::runtime_error>([&] { answer_from(line, 0, space()); });
}

}  // namespace

TEST_CASE("the first message describes the search space in the words of the sweep file") {
    SweepFile file;
    file.name = "first";
    file.spec.metric = "loss";
    file.spec.space = space();
    file.spec.run_cap = 9;

    const auto message = begin_message(file);

    CHECK(message["request"] == "begin");
    CHECK(message["goal"] == "minimize");
    CHECK(message["run_cap"] == 9);
    CHECK(message["parameters"].dump() ==
          R"({"lr":{"distribution":"log_uniform_values","min":1e-05,"max":0.1},)"
          R"("width":{"distribution":"int_uniform","min":1,"max":64},)"
          R"("momentum":{"distribution":"uniform","min":0.0,"max":1.0,"when":"width > 8"},)"
          R"("area":{"expression":"width * width"}})");
    CHECK(message["constraints"].dump() == R"(["area <= 1024"])");
}

TEST_CASE("a message about a trial has its last value of the metric, or null if that is not finite") {
    Trial trial;
    trial.id = TrialId{3};
    trial.config = {{"lr", 0.5}};
    CHECK(tell_message(trial, Goal::maximize, 7).dump() ==
          R"({"request":"tell","trial":3,"proposal":7,"status":"running","config":{"lr":0.5}})");
    trial.loss = -0.25;
    trial.resource = Resource{9};
    CHECK(tell_message(trial, Goal::maximize, {})["value"] == 0.25);
    trial.loss = std::numeric_limits<double>::infinity();
    CHECK(tell_message(trial, Goal::maximize, {})["value"].is_null());
}

TEST_CASE("an answer gives a configuration, no configuration yet, or the end") {
    CHECK(answer_from(R"({"config":{"width":4.0,"lr":0.01}})", 0, space()).config ==
          Config{{"lr", 0.01}, {"width", std::int64_t{4}}, {"area", std::int64_t{16}}});
    CHECK_FALSE(answer_from(R"({"config":null})", 0, space()).config.has_value());
    CHECK(answer_from(R"({"done":true})", 0, space()).is_done);
    CHECK(answer_from(R"({"draw_again":true})", 0, space()).refusal == "it asked for another draw");
}

TEST_CASE("a key with null, as languages with fixed structs write it, is not given") {
    const auto* nothing_else = R"({"proposal":null,"config":{"width":4,"lr":0.01},"done":null,"error":null})";

    CHECK(answer_from(nothing_else, 0, space()).config.has_value());
    CHECK(stop_from(R"({"stop":true,"error":null})"));
}

TEST_CASE("a stop rule answers whether to stop, and nothing else") {
    CHECK(stop_from(R"({"stop":true})"));
    CHECK_FALSE(stop_from(R"({"stop":false})"));
    CHECK_THROWS_WITH(stop_from(R"({"stop":1})"),
                      R"(it answered {"stop":1}, which does not say whether to stop; write {"stop":false})");
    CHECK_THROWS_WITH(stop_from(R"({"error":"no memory"})"), "it gave up: no memory");
}

TEST_CASE("given values of inactive and derived parameters are ignored") {
    const auto answer = answer_from(R"({"config":{"width":4,"lr":0.01,"momentum":0.5,"area":1}})", 0, space());

    CHECK(answer.config == Config{{"lr", 0.01}, {"width", std::int64_t{4}}, {"area", std::int64_t{16}}});
}

TEST_CASE("a configuration that a constraint forbids is refused, and the program may continue") {
    const auto answer = answer_from(R"({"config":{"width":64,"lr":0.01,"momentum":0.5}})", 0, space());

    CHECK_FALSE(answer.config.has_value());
    CHECK(answer.refusal.find("area <= 1024") != std::string::npos);
}

TEST_CASE("an invalid answer or an invalid value of a parameter is an error that says so") {
    CHECK(error_of("hello").find("not a JSON object: 'hello'") != std::string::npos);
    CHECK(error_of("{}").find("no configuration") != std::string::npos);
    CHECK(error_of(R"({"config":[1]})").find("no configuration") != std::string::npos);
    CHECK(error_of(R"({"error":"no GPU"})") == "it gave up: no GPU");
    CHECK(error_of(R"({"config":{"width":65,"lr":0.01}})").find("width = 65") != std::string::npos);
    CHECK(error_of(R"({"config":{"width":16,"lr":0.01}})") ==
          "it gave no value to 'momentum', which is active when width > 8; give one");
    CHECK(error_of(R"({"config":{"width":4}})") == "it gave no value to 'lr', which every configuration has; give one");
    CHECK(error_of(R"({"config":{"depth":4}})") ==
          "it gave a value to 'depth', but there is no such parameter; there are lr, width, momentum and area");
    CHECK(error_of(R"({"config":{"width":4,"lr":"high"}})").find("lr = the text 'high'") != std::string::npos);
}

TEST_CASE("a number that is not finite is called that, and is not taken for null") {
    const SearchSpace clipped({{"lr", Uniform{0, 1}},
                               {"clip", Categorical{{JsonValue("null"), 1.0}, {}}},
                               derived_parameter("twice", "lr * 2")});
    const auto answer = [&](const char* line) { return answer_from(line, 0, clipped); };

    CHECK(answer(R"({"config":{"lr":0.5,"clip":null,"twice":NaN},"score":-inf})").config.has_value());
    for (const auto* line : {R"({"config":{"lr":0.5,"clip":NaN}})", R"({"config":{"lr":0.5,"clip":[1,-Infinity]}})"}) {
        CHECK_THROWS_WITH(answer(line), "it gave 'clip' a number that is not finite; give a finite number");
    }
}

TEST_CASE("an answer that names its proposal is not taken for the answer to another one") {
    CHECK(answer_from(R"({"proposal":7,"done":true})", 7, space()).is_done);
    CHECK(error_of(R"({"proposal":1,"config":{"width":4,"lr":0.01}})") ==
          "it answered proposal 1 when 0 was due; answer proposals in order");
}

TEST_CASE("any bytes give an answer or an error") {
    const std::string answers[]{R"({"config":{"width":4,"lr":0.01,"momentum":0.5}})", R"({"config":null})",
                                R"({"done":true})", R"({"error":"no"})", R"({"draw_again":true})", R"({"stop":true})"};
    const std::string pieces[]{"\"",  "{",  "}",       "[",    "]",   "null", "1e999",
                               "-0", "\\u0000", "\xff", "NaN", ":",    ",",    "area"};
    CounterRandom random(/*seed=*/1, /*stream=*/0);
    const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random.next() % count); };
    const auto searched = space();
    int num_errors = 0;
    for (int i = 0; i < 4'000; ++i) {
        auto line = answers[below(6)];
        for (auto changes = below(4) + 1; changes > 0; --changes) {
            const auto at = below(line.size() + 1);
            const auto length = std::min(below(4), line.size() - at);
            const std::string any(1, static_cast<char>(random.next()));
            line.replace(at, length, below(2) == 0 ? pieces[below(14)] : any);
        }
        CAPTURE(line);
        try {
            const auto answer = answer_from(line, 0, searched);
            CHECK((answer.config.has_value() + answer.is_done + !answer.refusal.empty()) <= 1);
        } catch (const std::exception&) {
            ++num_errors;
        }
        try {
            stop_from(line);
        } catch (const std::runtime_error&) {
            continue;  // any other exception fails the test
        }
    }
    CHECK(num_errors > 200);
}
