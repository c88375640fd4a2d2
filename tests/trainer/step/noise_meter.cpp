#include "trainer/step/noise_meter.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

at::Tensor parameter(at::IntArrayRef shape) { return at::zeros(shape).requires_grad_(); }

}  // namespace

TEST_CASE("the norm of each measured backward is its own, and the whole is that of their sum") {
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
    CHECK(sums.whole == 16 + 16 + 8);  // of (4, 4) and the image
}

TEST_CASE("what is not measured counts only in the whole") {
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
}
