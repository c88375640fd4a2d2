#include "trainer/checkpoint/safetensors.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/temporary_folder.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("a safetensors file has a header with the offsets of each tensor, followed by the numbers row by row") {
    const crescendo::tests::TemporaryFolder folder;
    const at::Tensor columns = at::arange(6, at::kFloat).view({2, 3}).t();  // (3, 2), not in row order

    write_safetensors(folder / "a.safetensors", {{"weight", columns}, {"steps", at::full({}, 7, at::kLong)}});

    const auto bytes = test::content(folder / "a.safetensors");
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), 8);
    const auto header = nlohmann::json::parse(bytes.substr(8, size));
    CHECK(header["weight"] == nlohmann::json{{"dtype", "F32"}, {"shape", {3, 2}}, {"data_offsets", {0, 24}}});
    CHECK(header["steps"]["shape"].empty());
    CHECK(header["steps"]["data_offsets"] == nlohmann::json{24, 32});
    CHECK(size % 8 == 0);
    CHECK(bytes.size() == 8 + size + 32);
    float second = 0;
    std::memcpy(&second, bytes.data() + 8 + size + 4, 4);
    CHECK(second == 3);  // the first row is 0 and 3
}

TEST_CASE("a safetensors file is refused if the size of a tensor does not match its shape") {
    const crescendo::tests::TemporaryFolder folder;
    const auto file = folder / "a.safetensors";
    write_safetensors(file, {{"a", at::zeros({2})}, {"b", at::zeros({2})}});
    auto bytes = test::content(file);
    const auto shape = bytes.find("[2]");
    REQUIRE(shape != std::string::npos);
    bytes[shape + 1] = '3';
    std::ofstream(file, std::ios::binary) << bytes;

    CHECK_THROWS_AS(read_safetensors(file), std::runtime_error);
}

TEST_CASE("a tensor whose type safetensors does not support is refused by name") {
    const crescendo::tests::TemporaryFolder folder;

    CHECK_THROWS_WITH(write_safetensors(folder / "a", {{"phase", at::zeros({2}, at::kComplexFloat)}}),
                      "phase is ComplexFloat, which safetensors cannot store");
}
