#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// x becomes (x - mean) / std. There is one mean and one std, or one for each channel of the field. No std is 0.
struct Normalization {
    std::vector<double> mean{0.0};
    std::vector<double> std{1.0};

    friend auto operator<=>(const Normalization&, const Normalization&) = default;
};

/// Converts the elements of a field for a batch, in one pass from the bytes as they are stored.
class Conversion {
  public:
    /// Keeps the bytes as they are stored.
    static Conversion as_stored(const Field& field);

    /// Converts to float32: unpacked (Field::packing), normalised and padded (Field::padding), channels first. Padding
    /// zeros are zeros after normalisation. Calculates in float32. Exceptions use float64: packed numbers, types of 32
    /// bits and more that float32 cannot represent, and means of more than 1,024 stds, which float32 would round by a
    /// visible part of the std. `normalization` has one mean and std per channel, or one for all.
    static Conversion to_float32(const Field& field, Normalization normalization);

    /// Converts to int64. `field` must hold integers that are not measurements (Field::is_real).
    static Conversion to_int64(const Field& field);

    /// Bytes of one sample after conversion.
    std::size_t sample_bytes() const { return converted_bytes_; }

    /// Converts one sample, or several consecutive ones, to `out`, which has sample_bytes() for each. Returns whether
    /// all numbers are finite and none is an integer that marks a missing value (Field::packing). Such numbers are
    /// converted too. as_stored() does not check the numbers.
    bool convert(std::span<const std::byte> sample, std::byte* out) const { return run_(*this, sample, out); }

  private:
    using Function = bool (*)(const Conversion&, std::span<const std::byte>, std::byte*);
    Conversion(Function run, std::size_t converted_bytes) : run_(run), converted_bytes_(converted_bytes) {}

    template <class Float>
    struct Scales {
        std::vector<Float> mean;
        std::vector<Float> std;
    };
    template <class Float>
    const Scales<Float>& scales() const;

    /// The elements of a row that belong to one channel.
    struct Run {
        std::size_t first;
        std::size_t count;
        std::size_t stride;  ///< distance from one element to the next
    };

    template <class T, class Wide>
    bool convert_run(const std::byte* row, const Run& run, std::size_t channel, std::byte* out) const;
    template <class T, class Wide>
    static bool run_to_float32(const Conversion& self, std::span<const std::byte> sample, std::byte* out);
    template <class T, class Wide>
    static bool run_to_padded_float32(const Conversion& self, std::span<const std::byte> sample, std::byte* out);
    template <class T>
    static bool run_to_int64(const Conversion& self, std::span<const std::byte> sample, std::byte* out);

    Function run_;
    std::size_t converted_bytes_;
    Channels channels_;
    bool channels_last_ = false;
    Padding padding_;   ///< padding of images
    ImageSize padded_;  ///< size of images with their padding
    std::optional<Packing> packing_;
    Scales<double> exact_;  ///< one per channel, or one for all
    Scales<float> rounded_;
};

}  // namespace crescendo::datasets
