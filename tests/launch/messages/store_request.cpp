#include "launch/messages/store_request.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

using namespace crescendo::launch;

namespace {

Json request(const std::string& content) {
    return Json::parse(R"({"type":"store","id":1,"trial":7,"generation":0,)" + content + "}");
}

}  // namespace

TEST_CASE("a store request with everything that its operation needs is valid, and an unknown operation is valid too") {
    for (const auto* content :
         {R"("op":"get","key":"a")", R"("op":"set","key":"a","value":"eA==")", R"("op":"wait","keys":["a","b"])",
          R"("op":"check","keys":[])", R"("op":"wait","key":"a")", R"("op":"add","key":"a","delta":-2)",
          R"("op":"delete","key":"a")", R"("op":"compare_set","key":"a","value":"eA==")",
          R"("op":"compare_set","key":"a","expected":"","value":"eA==")", R"("op":"count")"}) {
        CAPTURE(content);
        CHECK_NOTHROW(require_store_request(request(content)));
    }
}

TEST_CASE("a store request is refused if a key of its operation is missing or has the wrong type") {
    for (const auto& [content, key] :
         {std::pair{R"("op":7)", "op"}, {R"("op":"get")", "key"}, {R"("op":"get","keys":["a"])", "key"},
          {R"("op":"set","key":"a")", "value"}, {R"("op":"set","key":"a","value":1)", "value"},
          {R"("op":"wait")", "key"}, {R"("op":"wait","keys":"a")", "keys"}, {R"("op":"check","keys":[1])", "keys"},
          {R"("op":"add","key":"a")", "delta"}, {R"("op":"add","key":"a","delta":0.5)", "delta"},
          {R"("op":"compare_set","key":"a","value":"","expected":1)", "expected"}}) {
        CAPTURE(content);
        const auto quoted = '"' + std::string(key) + '"';
        CHECK_THROWS_WITH_AS(require_store_request(request(content)), doctest::Contains(quoted.c_str()),
                             std::runtime_error);
    }
    for (const auto* text :
         {R"({"id":1,"op":"get","key":"a"})", R"({"trial":7,"generation":0,"op":"get","key":"a"})",
          R"({"id":1,"trial":7,"op":"get","key":"a"})", R"({"id":1,"trial":-1,"generation":0,"op":"get","key":"a"})",
          R"({"id":1,"trial":7,"generation":4294967296,"op":"get","key":"a"})",
          R"({"id":1,"trial":1.5,"generation":0,"op":"get","key":"a"})"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(require_store_request(Json::parse(text)), std::runtime_error);
    }
}
