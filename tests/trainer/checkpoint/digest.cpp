#include "trainer/checkpoint/digest.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <string>

using crescendo::trainer::digest_of;

namespace {

c10::impl::GenericDict dict_of(const std::string& name, double number, const std::string& words = "{}",
                               std::int64_t steps = 7) {
    c10::Dict<std::string, at::Tensor> tensors;
    tensors.insert(name, at::full({2, 3}, number, at::kDouble));
    c10::impl::GenericDict result(c10::StringType::get(), c10::AnyType::get());
    result.insert("model", tensors);
    result.insert("steps", steps);
    result.insert("progress", words);
    return result;
}

}  // namespace

TEST_CASE("equal contents have equal digests, and different contents have different ones") {
    const auto digest = digest_of(dict_of("weight", 1));

    CHECK(digest_of(dict_of("weight", 1)) == digest);
    CHECK(digest_of(dict_of("weights", 1)) != digest);
    CHECK(digest_of(dict_of("weight", 1.0000000000000002)) != digest);
    CHECK(digest_of(dict_of("weight", 1, "{ }")) != digest);
    CHECK(digest_of(dict_of("weight", 1, "{}", 8)) != digest);
}

TEST_CASE("the digest of a text is its CRC-32") { CHECK(digest_of(std::string("123456789")) == 0xCBF43926); }
