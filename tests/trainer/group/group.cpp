#include "trainer/group/group.hpp"

#include <ATen/ATen.h>

#include <array>
#include <string>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

/// A number, a matrix, an image whose channels lie last, and whole numbers; all of `value`.
std::vector<at::Tensor> tensors_of(int value) {
    return {at::full({}, value, at::kLong), at::full({2, 3}, value, at::kFloat),
            at::full({1, 2, 2, 2}, value, at::kFloat).contiguous(at::MemoryFormat::ChannelsLast),
            at::full({3}, value, at::kLong), at::full({}, value, at::kFloat)};
}

}  // namespace

TEST_CASE("every member gets rank 0's tensors, whatever their types, shapes and order in memory") {
    const auto device = make_cpu_device();
    std::array<std::vector<at::Tensor>, 3> tensors;

    in_group(3, *device, [&](const Group& group) {
        auto& mine = tensors[static_cast<std::size_t>(group.rank())];
        mine = tensors_of(group.rank() + 1);
        mine[2].flatten()[5] = 7;
        group.broadcast(mine);
    });

    for (const auto& mine : tensors) {
        for (std::size_t i = 0; i < mine.size(); ++i) {
            CHECK(at::equal(mine[i], tensors[0][i]));
            CHECK(mine[i].strides() == tensors[0][i].strides());
        }
        CHECK(mine[0].item<std::int64_t>() == 1);
    }
}

TEST_CASE("numbers are summed over the members, and rank 0's text reaches all") {
    const auto device = make_cpu_device();
    std::array<std::vector<double>, 3> sums;
    std::array<std::string, 3> texts;

    in_group(3, *device, [&](const Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        sums[rank] = group.sum({1.0, static_cast<double>(rank)});
        texts[rank] = group.broadcast("text of " + std::to_string(rank));
    });

    for (std::size_t rank = 0; rank < 3; ++rank) {
        CHECK(sums[rank] == std::vector<double>{3.0, 3.0});
        CHECK(texts[rank] == "text of 0");
    }
}

TEST_CASE("a group of one keeps what it has") {
    const auto device = make_cpu_device();
    const Group group(*device);
    const at::Tensor tensor = at::full({2}, 3);

    group.broadcast({tensor});

    CHECK(tensor.eq(3).all().item<bool>());
    CHECK(group.sum({1.5}) == std::vector<double>{1.5});
    CHECK(group.broadcast(std::string("text")) == "text");
}
