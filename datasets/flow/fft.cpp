#include "datasets/flow/fft.hpp"

#include <algorithm>
#include <bit>
#include <numbers>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// One step of Stockham's algorithm: splits sequences of 2m blocks of `length` numbers into two of m blocks each.
/// Multiplies real and imaginary parts by hand, because operator* of std::complex checks for NaN and is not vectorised.
void butterflies(const double* from, double* to, std::size_t m, std::size_t length, const Fft2::Complex* roots,
                 std::size_t root_step, double sign) {
    for (std::size_t p = 0; p < m; ++p) {
        const double re = roots[p * root_step].real();
        const double im = sign * roots[p * root_step].imag();
        const double* a = from + 2 * length * p;
        const double* b = from + 2 * length * (p + m);
        double* sum = to + 2 * length * (2 * p);
        double* difference = to + 2 * length * (2 * p + 1);
        for (std::size_t q = 0; q < 2 * length; q += 2) {
            const double d_re = a[q] - b[q];
            const double d_im = a[q + 1] - b[q + 1];
            sum[q] = a[q] + b[q];
            sum[q + 1] = a[q + 1] + b[q + 1];
            difference[q] = d_re * re - d_im * im;
            difference[q + 1] = d_re * im + d_im * re;
        }
    }
}

}  // namespace

Fft2::Fft2(std::size_t n) : n_(n), roots_(n), other_(n * n) {
    CRESCENDO_EXPECT(n >= 2 && std::has_single_bit(n));
    for (std::size_t p = 0; p < n; ++p) {
        roots_[p] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(p) / static_cast<double>(n));
    }
}

void Fft2::forward(std::span<Complex> values) {
    transform_columns(values, /*inverse=*/false);
    transpose(values);
    transform_columns(values, /*inverse=*/false);
}

void Fft2::inverse(std::span<Complex> coefficients) {
    transform_columns(coefficients, /*inverse=*/true);
    transpose(coefficients);
    transform_columns(coefficients, /*inverse=*/true);
    const double scale = 1.0 / static_cast<double>(n_ * n_);
    for (auto& value : coefficients) {
        value = {value.real() * scale, value.imag() * scale};
    }
}

void Fft2::transform_columns(std::span<Complex> data, bool inverse) {
    CRESCENDO_EXPECT(data.size() == n_ * n_);
    // The standard guarantees that std::complex<double> is an array of two ([complex.numbers.general]).
    auto* from = reinterpret_cast<double*>(data.data());
    auto* to = reinterpret_cast<double*>(other_.data());
    for (std::size_t size = n_, length = n_; size > 1; size /= 2, length *= 2) {
        butterflies(from, to, size / 2, length, roots_.data(), n_ / size, inverse ? -1.0 : 1.0);
        std::swap(from, to);
    }
    if (from != reinterpret_cast<double*>(data.data())) {
        std::copy(other_.begin(), other_.end(), data.begin());
    }
}

void Fft2::transpose(std::span<Complex> data) const {
    for (std::size_t row = 0; row < n_; ++row) {
        for (std::size_t column = row + 1; column < n_; ++column) {
            std::swap(data[row * n_ + column], data[column * n_ + row]);
        }
    }
}

}  // namespace crescendo::datasets
