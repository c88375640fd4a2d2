#include "trainer/step/noise_meter.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

at::Tensor parameter(at::IntArrayRef shape) { return at::zeros(shape).requires_grad_(); }

}  // namespace

TEST_CASE("each measured backward pass has its own norm, and the whole norm is that of the sum") {
    const at::Tensor a = parameter({2});
    const at::Tensor b = parameter({1, 2, 2, 2});
    NoiseMeter meter({a, b});
    const at::Tensor image = at::ones({1, 2, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast);

    meter.begin_part();
    ((a * at::tensor({3.0F, 4.0F})).sum() + (b * image).sum()).backward();  // squared norm 25 + 8
    meter.end_part(/*samples=*/2);
    meter.begin_part();
    ((a * at::tensor({1.0F, 0.0F})).sum() + (b * 0).sum()).backward();  // 1
    meter.end_part(/*samples=*/4);
    const auto sums = meter.take(meter.take_parts());

    CHECK(sums.parts == 33.0 / 2 + 1.0 / 4);
    CHECK(sums.whole == 16 + 16 + 8);  // the squared norm of (4, 4) and the image
}

TEST_CASE("passes that are not measured only count towards the whole norm") {
    const at::Tensor a = parameter({2});
    NoiseMeter meter({a});

    (a * 3).sum().backward();
    auto sums = meter.take(meter.take_parts());

    CHECK(sums.parts == 0);
    CHECK(sums.whole == 18);

    meter.begin_part();
    (a * 3).sum().backward();
    meter.end_part(1);
    meter.reset();
    sums = meter.take(meter.take_parts());

    CHECK(sums.parts == 0);
    CHECK(sums.whole == 72);

    (a * 3).sum().backward();
    meter.begin_part();
    a.sum().backward();
    meter.end_part(1);

    CHECK(meter.take(meter.take_parts()).parts == 2);
}

TEST_CASE("adjacent gradients, as in a reducer's bucket, count once each") {
    const at::Tensor a = parameter({2});
    const at::Tensor b = parameter({1, 2});
    const at::Tensor c = parameter({2});
    NoiseMeter meter({a, b, c});
    const at::Tensor bucket = at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 100.0F, 5.0F, 6.0F});
    a.mutable_grad() = bucket.narrow(0, 2, 2);               // 9 + 16
    b.mutable_grad() = bucket.narrow(0, 0, 2).view({1, 2});  // 1 + 4
    c.mutable_grad() = bucket.narrow(0, 5, 2);               // 25 + 36; the number before them belongs to no gradient

    const auto sums = meter.take(meter.take_parts());

    CHECK(sums.parts == 0);
    CHECK(sums.whole == 91);
}

TEST_CASE("the norm of a step is bit-identical wherever its gradients are in memory") {
    std::vector<at::Tensor> parameters;
    for (int i = 0; i < 6; ++i) {
        parameters.push_back(parameter({1}));
    }
    NoiseMeter meter(parameters);
    const auto whole_with_places = [&](const std::vector<std::int64_t>& places) {  // with gaps between them
        const at::Tensor memory = at::full({12}, 100.0F);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            parameters[i].mutable_grad() = memory.narrow(0, 2 * places[i], 1).fill_(i == 0 ? 1.0 : 0x1p-27);
        }
        return meter.take({}).whole;
    };
    const double whole = whole_with_places({0, 1, 2, 3, 4, 5});

    for (const auto& places : {std::vector<std::int64_t>{5, 4, 3, 2, 1, 0}, {1, 0, 2, 5, 4, 3}, {4, 5, 0, 1, 2, 3}}) {
        CHECK(whole_with_places(places) == whole);  // 1 + 5 · 2^-54 depends on the order
    }
}
