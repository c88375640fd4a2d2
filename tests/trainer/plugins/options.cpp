#include "trainer/plugins/options.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace crescendo::trainer;

namespace {

using crescendo::plugin::choice;
using crescendo::plugin::flag;
using crescendo::plugin::integer;
using crescendo::plugin::number;

const std::vector<crescendo::plugin::Option> known_options{integer("width", 64, 1, 4096),
                                                           number("share", 0.5, 0.0, 1.0), flag("norm", true),
                                                           choice("act", "relu", {"relu", "tanh"})};

}  // namespace

TEST_CASE("options have their default values unless the settings give others") {
    std::vector<Problem> problems;
    const nlohmann::json settings{{"width", 8.0}, {"act", "tanh"}};
    Section section(settings, "trainer", problems);

    const auto values = read_options(section, known_options);
    section.reject_unknown();

    CHECK(problems.empty());
    CHECK(values.integer("width") == 8);  // samplers produce doubles
    CHECK(values.number("share") == 0.5);
    CHECK(values.integer("norm") == 1);
    CHECK(values.text("act") == "tanh");
}

TEST_CASE("options that are out of range, of the wrong type or unknown are reported with the allowed values") {
    std::vector<Problem> problems;
    const nlohmann::json settings{{"width", 0}, {"share", 1.0}, {"norm", 3}, {"act", "selu"}, {"widht", 8}};
    Section section(settings, "trainer", problems);

    read_options(section, known_options);
    section.reject_unknown();

    REQUIRE(problems.size() == 5);
    CHECK(problems[0] == Problem{"trainer.width", "0 is out of range; give 1 to 4096"});
    CHECK(problems[1].key == "trainer.share");
    CHECK(problems[2].key == "trainer.norm");
    CHECK(problems[3] ==
          Problem{"trainer.act", "\"selu\" cannot be used here (did you mean 'relu'?); give one of relu, tanh"});
    CHECK(problems[4] ==
          Problem{"trainer.widht", "no such setting, so it would change nothing (did you mean 'width'?)"});
}

TEST_CASE("options are described with their range and default") {
    CHECK(describe(known_options[0]) == "width: 1 to 4096, by default 64");
    CHECK(describe(known_options[1]) == "share: at least 0 and less than 1, by default 0.5");
    CHECK(describe(number("scale", 1.0, 0.0)) == "scale: at least 0, by default 1");
    CHECK(describe(known_options[2]) == "norm: true or false, by default true");
    CHECK(describe(known_options[3]) == "act: one of relu, tanh, by default relu");
}

TEST_CASE("contradictory options are a mistake of the plug-in") {
    CHECK(mistake_of(known_options).empty());
    CHECK(mistake_of({flag("norm", true), flag("norm", false)}) == "the option name \"norm\" is empty or used twice");
    CHECK(mistake_of({integer("width", 0, 1, 8)}) == "the option width does not allow its own default");
    CHECK(mistake_of({choice("act", "selu", {"relu"})}) == "the option act does not allow its own default");
}
