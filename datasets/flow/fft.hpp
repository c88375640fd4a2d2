#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace crescendo::datasets {

/// Discrete Fourier transforms of n x n complex numbers, row-major, n a power of two. One thread at a time.
///
/// Stockham's algorithm in radix 2, over whole rows at a time. Its bits do not depend on the machine's vector units, as
/// those of libraries that plan at run time do.
class Fft2 {
  public:
    using Complex = std::complex<double>;

    explicit Fft2(std::size_t n);

    /// values[y][x] → coefficients[kx][ky]: sums of values · exp(-2πi (kx x + ky y) / n). The axes change places.
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
