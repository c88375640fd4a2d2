#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace crescendo::datasets {

/// Discrete Fourier transforms of n x n complex numbers, row-major, n a power of two. One thread at a time.
/// Stockham's radix-2 algorithm, over whole rows at a time. Unlike in libraries that plan at run time, the result's
/// bits do not depend on the machine's vector units.
class Fft2 {
  public:
    using Complex = std::complex<double>;

    explicit Fft2(std::size_t n);

    /// In place: values[y][x] → coefficients[kx][ky], the sums of values · exp(-2πi (kx x + ky y) / n). Swaps the axes.
    void forward(std::span<Complex> values);

    /// The inverse of forward().
    void inverse(std::span<Complex> coefficients);

  private:
    void transform_columns(std::span<Complex> data, bool inverse);
    void transpose(std::span<Complex> data) const;

    std::size_t n_;
    std::vector<Complex> roots_;  ///< exp(-2πi p / n)
    std::vector<Complex> other_;
};

}  // namespace crescendo::datasets
