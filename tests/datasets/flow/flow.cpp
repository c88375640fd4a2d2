#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "datasets/flow/fft.hpp"
#include "datasets/flow/flow.hpp"
#include "datasets/flow/generate_flow.hpp"
#include "datasets/inspection/inspect.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Approx;
using doctest::Contains;

namespace {

using Complex = std::complex<double>;

/// f(x, y) at the grid points of a flow.
template <class Function>
std::vector<double> sampled(std::size_t n, const Function& f) {
    std::vector<double> values;
    const double cell = 2 * std::numbers::pi / static_cast<double>(n);
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
            values.push_back(f(cell * static_cast<double>(column), cell * static_cast<double>(row)));
        }
    }
    return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

/// ∂f/∂x (or y) of a field without wave numbers from n / 2 on, by its Fourier transform.
std::vector<double> derivative(const std::vector<double>& values, std::size_t n, bool along_x) {
    Fft2 fft(n);
    std::vector<Complex> modes(values.begin(), values.end());
    fft.forward(modes);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const auto index = along_x ? i : j;  // [kx][ky]
            const double k =
                index < n / 2 ? static_cast<double>(index) : static_cast<double>(index) - static_cast<double>(n);
            modes[i * n + j] *= Complex(0, k);
        }
    }
    fft.inverse(modes);
    std::vector<double> result;
    for (const auto& value : modes) {
        result.push_back(value.real());
    }
    return result;
}

FlowOptions small_flows(std::int64_t num_samples) { return {.num_samples = num_samples, .size = 16, .seed = 7}; }

}  // namespace

TEST_CASE("a Fourier transform equals the sum that defines it, and its inverse restores the values") {
    constexpr std::size_t n = 8;
    CounterRandom random(1, 0);
    std::vector<Complex> values(n * n);
    for (auto& value : values) {
        value = {random.uniform(), random.uniform()};
    }
    auto modes = values;
    Fft2 fft(n);

    fft.forward(modes);

    for (std::size_t kx = 0; kx < n; ++kx) {
        for (std::size_t ky = 0; ky < n; ++ky) {
            Complex sum = 0;
            for (std::size_t y = 0; y < n; ++y) {
                for (std::size_t x = 0; x < n; ++x) {
                    sum += values[y * n + x] *
                           std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(kx * x + ky * y) / n);
                }
            }
            CHECK(std::abs(modes[kx * n + ky] - sum) < 1e-12);
        }
    }
    fft.inverse(modes);
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(std::abs(modes[i] - values[i]) < 1e-14);
    }
}

TEST_CASE("Taylor-Green vortices decay as the exact solution says") {
    constexpr double viscosity = 0.05;
    constexpr double time = 2;
    Flow flow(32, viscosity);
    // u = cos x sin y, v = -sin x cos y, ω = -2 cos x cos y, all times exp(-2 ν t).
    flow.set_vorticity(sampled(32, [](double x, double y) { return -2 * std::cos(x) * std::cos(y); }));
    CHECK(flow.energy() == Approx(0.25).epsilon(1e-12));

    flow.advance(time);

    const double left = std::exp(-2 * viscosity * time);
    const auto fields = flow.fields();
    CHECK(largest_difference(
              fields.u, sampled(32, [&](double x, double y) { return left * std::cos(x) * std::sin(y); })) < 1e-12);
    CHECK(largest_difference(
              fields.v, sampled(32, [&](double x, double y) { return -left * std::sin(x) * std::cos(y); })) < 1e-12);
    CHECK(flow.energy() == Approx(0.25 * left * left).epsilon(1e-12));
}

TEST_CASE("the vorticity changes by advection") {
    // ω = cos x + cos 2y: u = -sin(2y) / 2, v = sin x, so that without friction
    // ∂ω/∂t = -u ∂ω/∂x - v ∂ω/∂y = -sin(2y) sin(x) / 2 + 2 sin(x) sin(2y) = 3/2 sin(x) sin(2y).
    constexpr double time = 1e-4;
    const auto start = sampled(32, [](double x, double y) { return std::cos(x) + std::cos(2 * y); });
    Flow flow(32, 0);
    flow.set_vorticity(start);

    flow.advance(time);

    auto change = flow.fields().vorticity;
    for (std::size_t i = 0; i < change.size(); ++i) {
        change[i] = (change[i] - start[i]) / time;
    }
    const auto expected = sampled(32, [](double x, double y) { return 1.5 * std::sin(x) * std::sin(2 * y); });
    CHECK(largest_difference(change, expected) < 1e-3);
}

TEST_CASE("a flow without friction keeps its energy and its enstrophy") {
    Flow flow(64, 0);
    flow.set_random(4, 1, 0);
    const double energy = flow.energy();
    const double enstrophy = flow.enstrophy();
    CHECK(energy == Approx(0.5));

    flow.advance(0.5);

    CHECK(flow.energy() == Approx(energy).epsilon(1e-4));
    CHECK(flow.enstrophy() == Approx(enstrophy).epsilon(1e-3));
}

TEST_CASE("energy decays at the rate that the viscosity implies") {
    constexpr double viscosity = 0.02;
    constexpr double time = 1e-3;
    Flow flow(64, viscosity);
    flow.set_random(4, 2, 0);
    flow.advance(0.5);
    const double energy = flow.energy();
    const double enstrophy = flow.enstrophy();

    flow.advance(time);

    const double mean = (enstrophy + flow.enstrophy()) / 2;
    CHECK((energy - flow.energy()) / time == Approx(2 * viscosity * mean).epsilon(1e-3));
}

TEST_CASE("a flow has no divergence, and its vorticity is the curl of its velocity") {
    constexpr std::size_t n = 64;
    Flow flow(n, 0.01);
    flow.set_random(4, 3, 0);
    flow.advance(0.5);

    const auto fields = flow.fields();

    const auto u_x = derivative(fields.u, n, true);
    const auto u_y = derivative(fields.u, n, false);
    const auto v_x = derivative(fields.v, n, true);
    const auto v_y = derivative(fields.v, n, false);
    for (std::size_t i = 0; i < u_x.size(); ++i) {
        CHECK(std::abs(u_x[i] + v_y[i]) < 1e-9);
        CHECK(std::abs(v_x[i] - u_y[i] - fields.vorticity[i]) < 1e-9);
    }
}

TEST_CASE("the spectrum of a flow falls, and adds up to its energy") {
    Flow flow(64, least_viscosity(64));
    flow.set_random(4, 4, 0);

    flow.advance(1);

    const auto spectrum = flow.spectrum();
    CHECK(std::accumulate(spectrum.begin(), spectrum.end(), 0.0) == Approx(flow.energy()).epsilon(1e-12));
    // The flow is resolved: almost no energy has gathered at the largest wave number, 21.
    CHECK(spectrum[8] < spectrum[3]);
    CHECK(spectrum[16] < 0.1 * spectrum[8]);
    CHECK(spectrum[21] < 1e-3 * spectrum[3]);
}

TEST_CASE("a seed gives the same bytes with any number of threads, and another seed gives other bytes") {
    const TemporaryFolder folder;
    const auto generated = [&](const std::string& name, FlowOptions options, std::int64_t chunk) {
        const auto location = (folder / name).string() + ":/train";
        generate_flow(location, options, {.chunk_samples = chunk});
        return read_all(*SampleSet::open(location));
    };
    auto threads = small_flows(11);
    threads.num_threads = 3;
    auto other = small_flows(11);
    other.seed = 8;

    const auto one = generated("one.h5", small_flows(11), 0);
    const auto three = generated("three.h5", threads, 4);

    CHECK(one.inputs == three.inputs);
    CHECK(one.targets == three.targets);
    CHECK(generated("other.h5", other, 0).inputs != one.inputs);
}

TEST_CASE("flows are written chunk by chunk, with a check for Ctrl-C at each chunk") {
    const TemporaryFolder folder;
    const auto num_polls = [&](std::int64_t chunk) {
        int polls = 0;
        const auto location = (folder / std::to_string(chunk)).string() + ":/";
        generate_flow(location, small_flows(8), {.chunk_samples = chunk, .poll = [&] { ++polls; }});
        return polls;
    };

    // The solver's steps are the same. There are 8 chunks of inputs and 8 of targets, or one of each.
    CHECK(num_polls(1) - num_polls(8) == 14);
}

TEST_CASE("flows have the remaining share of energy, the later fields or nothing as targets") {
    const TemporaryFolder folder;
    auto options = small_flows(6);
    generate_flow((folder / "decay.h5").string() + ":/", options, {});
    options.target = FlowOptions::Target::future;
    generate_flow((folder / "future.h5").string() + ":/", options, {});

    const auto decay = SampleSet::open((folder / "decay.h5").string() + ":/");
    const auto future = SampleSet::open((folder / "future.h5").string() + ":/");

    CHECK(decay->inputs()[0].shape == std::vector<std::int64_t>{3, 16, 16});
    CHECK(decay->inputs()[0].type == ElementType::f32);
    CHECK(decay->targets()[0].shape.empty());
    CHECK(future->targets()[0].shape == std::vector<std::int64_t>{3, 16, 16});
    CHECK(read_all(*decay).inputs == read_all(*future).inputs);
    options.target = FlowOptions::Target::none;
    generate_flow((folder / "none.h5").string() + ":/", options, {});
    const auto alone = inspect(folder / "none.h5");
    REQUIRE(alone.size() == 1);
    CHECK(alone[0].path == "/inputs");
    const auto bytes = read_all(*decay).targets;
    std::vector<float> shares(6);
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(shares)).begin());
    for (const auto share : shares) {
        CHECK((share > 0 && share < 1));
    }
    CHECK(*std::max_element(shares.begin(), shares.end()) > 1.05F * *std::min_element(shares.begin(), shares.end()));
}

TEST_CASE("impossible options for flows are refused and leave no file") {
    const TemporaryFolder folder;
    const auto complaint = [&](FlowOptions options) {
        return complaint_of([&] { generate_flow((folder / "set.h5").string() + ":/", options, {}); });
    };

    CHECK(complaint({.num_samples = 0}) == Contains("0 samples"));
    CHECK(complaint({.num_samples = 1, .size = 48}) == Contains("--size 48"));
    CHECK(complaint({.num_samples = 1, .size = 64, .viscosity = 1e-4}) == Contains("use at least 0.018"));  // 8 / 21²
    CHECK(complaint({.num_samples = 1, .viscosity = std::nan("")}) == Contains("--viscosity nan"));
    CHECK(std::filesystem::is_empty(folder / "."));
}
