#include "trainer/training/ranking.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <mutex>
#include <numeric>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t all_kept = 1 << 20;

/// The area for outputs that each of the members gets in two batches.
double area_of(const at::Tensor& outputs, const at::Tensor& targets, int members = 1,
               std::int64_t most_scores = all_kept) {
    const auto device = make_cpu_device();
    std::vector<double> total(static_cast<std::size_t>(3 * outputs.size(1)));
    std::mutex mutex;
    in_group(members, *device, [&](const Group& group) {
        Ranking ranking(outputs.size(1), most_scores);
        const std::int64_t batches = 2 * members;
        for (const std::int64_t batch : {2 * group.rank(), 2 * group.rank() + 1}) {
            const auto begin = outputs.size(0) * batch / batches, end = outputs.size(0) * (batch + 1) / batches;
            std::vector<std::int64_t> samples(static_cast<std::size_t>(end - begin));
            std::iota(samples.begin(), samples.end(), begin);
            ranking.add(outputs.slice(0, begin, end), targets.slice(0, begin, end), samples);
        }
        const auto sums = ranking.sums(group);
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            total[i] += sums[i];
        }
    });
    return mean_area(total.data(), static_cast<std::size_t>(outputs.size(1)));
}

/// Samples of two classes, the second of which has higher scores.
struct Scored {
    at::Tensor targets, scores;

    explicit Scored(std::int64_t count) {
        const auto generator = at::detail::createCPUGenerator(1);
        targets = at::randint(2, {count}, generator, at::kLong);
        scores = at::randn({count}, generator) + targets;
    }

    at::Tensor outputs(double factor, double offset = 0) const {
        return at::stack({at::zeros_like(scores), scores * factor + offset}, 1);
    }

    double area() const {
        const at::Tensor own = scores.masked_select(targets == 1), others = scores.masked_select(targets == 0);
        return (own.unsqueeze(1) > others).to(at::kDouble).mean().item<double>();
    }
};

}  // namespace

TEST_CASE("an area is the share of correctly ordered pairs, averaged over the classes that occur with others") {
    const at::Tensor targets = at::tensor({1, 0, 1, 0, 1}, at::kLong);
    // The log-odds of class 1 are the second column. Of 3 x 2 pairs, 3 are right and one is a tie.
    at::Tensor outputs = at::tensor({2., -1., 1., 1., -3.}).view({5, 1});
    outputs = at::cat({at::zeros({5, 1}), outputs, at::full({5, 1}, -100.)}, 1);

    // 2 > -1, 1; 1 > -1 and ties with 1; -3 is below both. Class 0 has the reverse order, so its area is the same.
    CHECK(area_of(outputs, targets) == doctest::Approx((2 + 1.5) / 6));
    outputs[0][0] = std::nan("");
    CHECK(area_of(outputs, targets) <= 1.0);  // for a diverged model
    CHECK(std::isnan(area_of(outputs, at::ones({5}, at::kLong))));
}

TEST_CASE("an area is exact for all pairs, however close or large the log-odds are") {
    const Scored scored(2000);

    for (const double factor : {1.0, 0.01, 1e-4, 100.0, 1e6}) {
        CAPTURE(factor);
        CHECK(area_of(scored.outputs(factor), scored.targets) == doctest::Approx(scored.area()).epsilon(1e-9));
    }
    // With a large common offset, some float32 outputs become equal and tie.
    CHECK(area_of(scored.outputs(0.01, /*offset=*/-4.6), scored.targets) ==
          doctest::Approx(scored.area()).epsilon(1e-4));
}

TEST_CASE("log-odds of many classes are distinguished even if a probability rounds to 1") {
    const Scored scored(500);
    const at::Tensor outputs = at::cat({scored.outputs(1, /*offset=*/200), at::full({500, 1}, -50.)}, 1);

    CHECK(area_of(outputs, scored.targets) == doctest::Approx(scored.area()).epsilon(1e-4));
}

TEST_CASE("areas do not depend on the number of members, some of which may have no samples") {
    const Scored scored(300);
    const at::Tensor outputs = scored.outputs(1);
    const double alone = area_of(outputs, scored.targets);

    CHECK(alone == doctest::Approx(scored.area()).epsilon(1e-9));
    CHECK(area_of(outputs, scored.targets, /*members=*/3) == alone);
    CHECK(area_of(outputs.slice(0, 0, 5), scored.targets.slice(0, 0, 5), /*members=*/4) ==
          area_of(outputs.slice(0, 0, 5), scored.targets.slice(0, 0, 5)));
}

TEST_CASE("if there are too many samples for the memory, any number of members uses the same subset") {
    const Scored scored(40000);
    const at::Tensor outputs = scored.outputs(1);

    // A quarter of the samples with 80,000 log-odds remains. The error of an area is about 0.5 / sqrt(10,000).
    const double alone = area_of(outputs, scored.targets, /*members=*/1, /*most_scores=*/20000);
    CHECK(alone != area_of(outputs, scored.targets));
    CHECK(alone == doctest::Approx(area_of(outputs, scored.targets)).epsilon(0.02));
    CHECK(area_of(outputs, scored.targets, /*members=*/4, /*most_scores=*/20000) == alone);
}
