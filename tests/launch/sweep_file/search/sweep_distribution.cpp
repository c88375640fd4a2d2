#include "launch/sweep_file/search/sweep_distribution.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <variant>

#include "core/check.hpp"
#include "launch/yaml/yaml_document.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// The distribution of the parameter x, as a sweep file writes it.
Distribution distribution_of(const std::string& text) {
    Mistakes mistakes;
    const auto document = parse_yaml("x: " + text + "\n", "sweep.yaml", mistakes);
    const YamlSection parameters(document.root, "parameters", mistakes);
    const auto distribution = read_distribution(parameters.section("x", "").value());
    mistakes.throw_if_any(document.source);
    return distribution;
}

std::string distribution_error(const std::string& text) {
    Mistakes mistakes;
    const auto document = parse_yaml("x: " + text + "\n", "sweep.yaml", mistakes);
    const YamlSection parameters(document.root, "parameters", mistakes);
    mistakes.attempt([&] { read_distribution(parameters.section("x", "").value()); });
    try {
        mistakes.throw_if_any(document.source);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

/// "" if there is no doubt.
std::string doubt_about(const std::string& text) {
    Mistakes mistakes;
    const auto document = parse_yaml("x: " + text + "\n", "sweep.yaml", mistakes);
    const YamlSection parameters(document.root, "parameters", mistakes);
    return doubt_about_distribution(parameters.section("x", "").value()).value_or("");
}

}  // namespace

TEST_CASE("normal and beta distributions have W&B's keys and defaults") {
    CHECK(std::get<Normal>(distribution_of("{distribution: normal}")).sigma == 1);
    CHECK(std::get<Normal>(distribution_of("{distribution: normal, mu: 3, sigma: 0.5}")).mu == 3);
    CHECK(std::get<QNormal>(distribution_of("{distribution: q_normal, mu: 3}")).q == 1);
    CHECK(std::get<LogNormal>(distribution_of("{distribution: log_normal, mu: -7, sigma: 2}")).mu == -7);
    CHECK(std::get<QLogNormal>(distribution_of("{distribution: q_log_normal, q: 8}")).q == 8);
    CHECK(std::get<Beta>(distribution_of("{distribution: beta, a: 2}")).b == 1);
    CHECK(std::get<QBeta>(distribution_of("{distribution: q_beta, a: 2, b: 5, q: 0.1}")).b == 5);
}

TEST_CASE("min and max of a log-uniform distribution are exponents of e, as in W&B") {
    const auto log_uniform =
        std::get<LogUniformValues>(distribution_of("{distribution: log_uniform, min: -9.2103, max: -2.3}"));

    CHECK(log_uniform.min == doctest::Approx(1e-4).epsilon(1e-4));
    CHECK(log_uniform.max == std::exp(-2.3));
    CHECK(std::get<QLogUniformValues>(distribution_of("{distribution: q_log_uniform, min: 0, max: 5, q: 2}")).max ==
          std::exp(5));
}

TEST_CASE("an inverse log-uniform distribution is log-uniform, given by exponents of 1/x or by values") {
    const auto exponents =
        std::get<LogUniformValues>(distribution_of("{distribution: inv_log_uniform, min: 1, max: 4}"));
    const auto values =
        std::get<LogUniformValues>(distribution_of("{distribution: inv_log_uniform_values, min: 1e-3, max: 1}"));

    CHECK(exponents.min == doctest::Approx(std::exp(-4)));
    CHECK(exponents.max == doctest::Approx(std::exp(-1)));
    CHECK(values.min == 1e-3);
    CHECK(values.max == 1);
}

TEST_CASE("categories may have probabilities, under both of W&B's names") {
    const auto inferred = std::get<Categorical>(distribution_of("{values: [a, b], probabilities: [0.25, 0.75]}"));
    const auto named = std::get<Categorical>(
        distribution_of("{distribution: categorical_w_probabilities, values: [a, b], probabilities: [1, 0]}"));

    CHECK(inferred.probabilities == std::vector{0.25, 0.75});
    CHECK(named.probabilities == std::vector{1.0, 0.0});
}

TEST_CASE("an exponent whose power is out of range is refused") {
    CHECK(distribution_error("{distribution: log_uniform, min: 1, max: 1000}") ==
          "sweep.yaml:1:1: parameters.x.max: is 1000, an exponent of e, but e^1000 is out of range; to give the values "
          "themselves, use log_uniform_values");
}

TEST_CASE("exponents that look like values, values given twice, ranges of two numbers and list values get a remark") {
    CHECK(doubt_about("{distribution: log_uniform, min: 1e-5, max: 0.1}") ==
          "min and max of log_uniform are exponents of e, so its values are from 1 to 1.105; for values from 1e-05 to "
          "0.1 write log_uniform_values");
    CHECK(doubt_about("{distribution: q_log_uniform, min: 0.5, max: 1, q: 0.1}").find("write q_log_uniform_values") !=
          std::string::npos);
    CHECK(doubt_about("{distribution: q_log_uniform, min: 16, max: 256}").find("for values from 16 to 256 write q_") !=
          std::string::npos);
    CHECK(doubt_about("{values: [0,1, 0,01]}") ==
          "lists 0 twice; remove one of the two, or if the comma is part of a number, write it as 0.1 or 1000");
    CHECK(doubt_about("{values: [0, 1, '0']}").empty());
    CHECK(doubt_about("{min: 0, max: 1}") ==
          "is 0 or 1, because both ends are whole numbers; for all numbers between them write min: 0.0");
    CHECK(doubt_about("{value: [adam, sgd]}") ==
          "is this whole list in every trial; to choose one of its items, write values: instead of value:; to keep the "
          "list, add distribution: constant");
    for (const auto* sound :
         {"{distribution: log_uniform, min: -9.2, max: -2.3}", "{distribution: log_uniform, min: 0, max: 5}",
          "{distribution: log_uniform_values, min: 1e-5, max: 0.1}", "{distribution: int_uniform, min: 0, max: 1}",
          "{value: [3, 3]}", "{value: [[1, 2], [3, 4]]}", "{distribution: constant, value: [0.9, 0.999]}",
          "{value: [adam]}", "{value: adam}", "{min: 0.0, max: 1}", "{min: 0, max: 2}", "{values: [0, 1]}"}) {
        CHECK_MESSAGE(doubt_about(sound).empty(), sound);
    }
}

TEST_CASE("Python tuples among the values get a remark") {
    CHECK(doubt_about("{values: [(8, 8), (16)]}") ==
          "has the text '(8' among its values; if it is a Python tuple, write lists: values: [[8, 8], [16]]");
    CHECK(doubt_about("{values: [[8, 8], relu(), 16]}").empty());
}

TEST_CASE("messages about mistakes in distributions name the key") {
    CHECK(distribution_error("{distribution: loguniform, min: 1e-5, max: 0.1}").find("write log_uniform_values") !=
          std::string::npos);
    CHECK(
        distribution_error("{distribution: randint, min: 1, max: 9}").find("write int_uniform, whose max is one of") !=
        std::string::npos);
    CHECK(distribution_error("{distribution: choice, values: [1, 2]}").find("write values: [a, b]") !=
          std::string::npos);
    CHECK(distribution_error("{distribution: normal, min: 0, max: 1}")
              .find("min: has no meaning for the distribution normal, "
                    "which has mu and sigma") != std::string::npos);
    CHECK(distribution_error("{distribution: inv_uniform, min: 1, max: 2}").find("no tool defines it; use uniform") !=
          std::string::npos);
    CHECK(distribution_error("{mu: 0, sigma: 1}").find("add distribution: normal, or log_normal") != std::string::npos);
    CHECK(distribution_error("{values: [1, 2], probabilities: 0.5}")
              .find("takes a list of numbers, one for each value") != std::string::npos);
    CHECK(distribution_error("{distribution: beta, a: two}").find("parameters.x.a: 'two' is text") !=
          std::string::npos);
}

TEST_CASE("a whole number may be written as 2.0, as for W&B's int_uniform") {
    const auto range = std::get<IntUniform>(distribution_of("{distribution: int_uniform, min: 2., max: 8.0}"));

    CHECK(range.min == 2);
    CHECK(range.max == 8);
    CHECK(distribution_error("{distribution: int_uniform, min: 2.5, max: 8}").find("2.5 is not whole") !=
          std::string::npos);
    CHECK(distribution_error("{distribution: int_uniform, min: 0, max: 1e300}").find("is not whole") !=
          std::string::npos);
}
