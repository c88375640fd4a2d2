#include "datasets/samples/conversion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/numbers.hpp"

namespace crescendo::datasets {
namespace {

/// The type for calculating (x - mean) / std, unless the mean is large.
template <class T>
using Usual = std::conditional_t<std::is_same_v<T, double> || (std::is_integral_v<T> && sizeof(T) >= 4), double, float>;

template <class T>
constexpr bool may_be_infinite = !std::is_integral_v<T>;

/// Converts `count` elements with one mean and one std. Written so that the compiler vectorises it.
template <class T, class Wide>
bool convert_run(const std::byte* in, std::size_t count, Wide mean, Wide std, std::byte* out) {
    unsigned bad = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto y = static_cast<float>((static_cast<Wide>(element<T>(in, i)) - mean) / std);
        if constexpr (may_be_infinite<T>) {
            bad |= static_cast<unsigned>(!(std::abs(y) <= std::numeric_limits<float>::max()));
        }
        std::memcpy(out + i * sizeof y, &y, sizeof y);
    }
    return bad == 0;
}

/// Converts `count` elements, each with its own mean and std.
template <class T, class Wide>
bool convert_row(const std::byte* in, std::size_t count, const Wide* mean, const Wide* std, std::byte* out) {
    unsigned bad = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto y = static_cast<float>((static_cast<Wide>(element<T>(in, i)) - mean[i]) / std[i]);
        if constexpr (may_be_infinite<T>) {
            bad |= static_cast<unsigned>(!(std::abs(y) <= std::numeric_limits<float>::max()));
        }
        std::memcpy(out + i * sizeof y, &y, sizeof y);
    }
    return bad == 0;
}

/// Converts `count` elements at distance `stride`, with one mean and one std.
template <class T, class Wide>
bool convert_strided(const std::byte* in, std::size_t count, std::size_t stride, Wide mean, Wide std, std::byte* out) {
    unsigned bad = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto y = static_cast<float>((static_cast<Wide>(element<T>(in, i * stride)) - mean) / std);
        bad |= static_cast<unsigned>(!(std::abs(y) <= std::numeric_limits<float>::max()));
        std::memcpy(out + i * sizeof y, &y, sizeof y);
    }
    return bad == 0;
}

/// Converts packed numbers, in blocks: each step is a loop that the compiler vectorises.
template <class T>
bool unpack_strided(const std::byte* in, std::size_t count, std::size_t stride, const Packing& packing, double mean,
                    double std, std::byte* out) {
    std::array<double, 256> numbers;
    unsigned bad = 0;
    for (std::size_t at = 0; at < count; at += numbers.size()) {
        const auto part = std::span(numbers).first(std::min(numbers.size(), count - at));
        for (std::size_t i = 0; i < part.size(); ++i) {
            part[i] = static_cast<double>(element<T>(in, (at + i) * stride));
        }
        packing.decode(part);
        for (std::size_t i = 0; i < part.size(); ++i) {
            const auto y = static_cast<float>((part[i] - mean) / std);
            bad |= static_cast<unsigned>(!(std::abs(y) <= std::numeric_limits<float>::max()));
            std::memcpy(out + (at + i) * sizeof y, &y, sizeof y);
        }
    }
    return bad == 0;
}

/// Whether float32 would round a mean by a visible part of its std. At 1,024 stds that is 2^-24 · 1,024 = 6e-5 of one.
bool has_large_mean(const Normalization& normalization) {
    constexpr double most = 1024;
    const auto& [mean, std] = normalization;
    for (std::size_t i = 0; i < std::max(mean.size(), std.size()); ++i) {
        if (std::abs(mean[mean.size() == 1 ? 0 : i]) > most * std::abs(std[std.size() == 1 ? 0 : i])) {
            return true;
        }
    }
    return false;
}

/// A float32 image with padding.
class PaddedImage {
  public:
    PaddedImage(std::byte* begin, const Padding& padding, const ImageSize& size)
        : begin_(begin),
          with_(padding.with),
          top_(static_cast<std::size_t>(padding.top)),
          left_(static_cast<std::size_t>(padding.left)),
          inner_height_(static_cast<std::size_t>(padding.height)),
          inner_width_(static_cast<std::size_t>(padding.width)),
          height_(static_cast<std::size_t>(size.height)),
          width_(static_cast<std::size_t>(size.width)) {}

    std::size_t bytes() const { return height_ * width_ * sizeof(float); }

    /// Line `y` of the image, without its padding.
    std::byte* line(std::size_t y) const { return at(top_ + y, left_); }

    /// Fills the padding. Call it after the image is written.
    void fill() const {
        const auto bottom = top_ + inner_height_;
        const auto right = left_ + inner_width_;
        for (std::size_t y = top_; y < bottom; ++y) {
            spread(at(y, left_), at(y, 0), left_);
            spread(at(y, right - 1), at(y, right), width_ - right);
        }
        for (std::size_t y = 0; y < height_; ++y) {
            const bool outside = y < top_ || y >= bottom;
            if (outside && with_ == PadWith::zero) {
                std::memset(at(y, 0), 0, width_ * sizeof(float));
            } else if (outside) {
                std::memcpy(at(y, 0), at(y < top_ ? top_ : bottom - 1, 0), width_ * sizeof(float));
            }
        }
    }

  private:
    std::byte* at(std::size_t y, std::size_t x) const { return begin_ + (y * width_ + x) * sizeof(float); }

    /// Fills `count` numbers with the number at `edge`, or with zeros.
    void spread(const std::byte* edge, std::byte* to, std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (with_ == PadWith::zero) {
                std::memset(to + i * sizeof(float), 0, sizeof(float));
            } else {
                std::memcpy(to + i * sizeof(float), edge, sizeof(float));
            }
        }
    }

    std::byte* begin_;
    PadWith with_;
    std::size_t top_, left_, inner_height_, inner_width_, height_, width_;
};

}  // namespace

template <class Float>
const Conversion::Scales<Float>& Conversion::scales() const {
    if constexpr (std::is_same_v<Float, double>) {
        return exact_;
    } else {
        return rounded_;
    }
}

template <class T, class Wide>
bool Conversion::convert_run(const std::byte* row, const Run& run, std::size_t channel, std::byte* out) const {
    const auto& [means, stds] = scales<Wide>();
    const auto place = means.size() == 1 ? 0 : channel;
    const auto in = row + run.first * sizeof(T);
    if (packing_) {
        return unpack_strided<T>(in, run.count, run.stride, *packing_, exact_.mean[place], exact_.std[place], out);
    }
    return run.stride == 1 ? datasets::convert_run<T, Wide>(in, run.count, means[place], stds[place], out)
                           : convert_strided<T, Wide>(in, run.count, run.stride, means[place], stds[place], out);
}

template <class T, class Wide>
bool Conversion::run_to_float32(const Conversion& self, std::span<const std::byte> sample, std::byte* out) {
    const auto& [means, stds] = self.scales<Wide>();
    const auto elements = sample.size() / sizeof(T);
    const auto count = static_cast<std::size_t>(self.channels_.count);
    const auto run = static_cast<std::size_t>(self.channels_.run);
    if (means.size() == 1 && (!self.channels_last_ || run == 1)) {  // in stored order, with one mean
        return self.convert_run<T, Wide>(sample.data(), {0, elements, 1}, 0, out);
    }
    bool finite = true;
    for (std::size_t at = 0; at < elements; at += count * run) {  // the rows of a window
        const auto row = sample.data() + at * sizeof(T);
        const auto to = out + at * sizeof(float);
        if (run == 1 && !self.packing_) {
            finite = convert_row<T, Wide>(row, count, means.data(), stds.data(), to) && finite;
            continue;
        }
        for (std::size_t channel = 0; channel < count; ++channel) {
            const Run elements_of = self.channels_last_ ? Run{channel, run, count} : Run{channel * run, run, 1};
            finite = self.convert_run<T, Wide>(row, elements_of, channel, to + channel * run * sizeof(float)) && finite;
        }
    }
    return finite;
}

template <class T, class Wide>
bool Conversion::run_to_padded_float32(const Conversion& self, std::span<const std::byte> sample, std::byte* out) {
    const auto height = static_cast<std::size_t>(self.padding_.height);
    const auto width = static_cast<std::size_t>(self.padding_.width);
    const auto count = static_cast<std::size_t>(self.channels_.count);
    const auto images_of_channel = static_cast<std::size_t>(self.channels_.run) / (height * width);
    const auto num_images = sample.size() / sizeof(T) / (height * width);
    bool finite = true;
    for (std::size_t image = 0; image < num_images; ++image) {
        const auto channel = image / images_of_channel % count;
        auto first = image * height * width;
        if (self.channels_last_) {
            const auto row = image / images_of_channel / count;  // of a window
            first = (row * images_of_channel + image % images_of_channel) * height * width * count + channel;
        }
        const std::size_t stride = self.channels_last_ ? count : 1;
        const PaddedImage to(out, self.padding_, self.padded_);
        for (std::size_t y = 0; y < height; ++y) {
            const Run line{first + y * width * stride, width, stride};
            finite = self.convert_run<T, Wide>(sample.data(), line, channel, to.line(y)) && finite;
        }
        to.fill();
        out += to.bytes();
    }
    return finite;
}

template <class T>
bool Conversion::run_to_int64(const Conversion& self, std::span<const std::byte> sample, std::byte* out) {
    bool complete = true;
    if constexpr (std::is_integral_v<T>) {
        for (std::size_t i = 0; i < sample.size() / sizeof(T); ++i) {
            auto value = static_cast<std::int64_t>(element<T>(sample.data(), i));
            if (self.packing_) {
                auto meaning = static_cast<double>(value);
                self.packing_->decode(std::span(&meaning, 1));
                complete = complete && !std::isnan(meaning);
                if (self.packing_->wrap > 0) {  // reinterpret the bits as an unsigned integer
                    value = static_cast<std::int64_t>(static_cast<std::make_unsigned_t<T>>(value));
                }
            }
            std::memcpy(out + i * sizeof value, &value, sizeof value);
        }
    }
    return complete;
}

Conversion Conversion::as_stored(const Field& field) {
    const auto copy = [](const Conversion&, std::span<const std::byte> sample, std::byte* out) {
        std::memcpy(out, sample.data(), sample.size());
        return true;
    };
    return {copy, field.sample_bytes()};
}

Conversion Conversion::to_float32(const Field& field, Normalization normalization) {
    const bool exact = has_large_mean(normalization);
    const auto run = with_type(field.type, [&]<class T>() -> Function {
        if (exact) {
            return field.padding ? run_to_padded_float32<T, double> : run_to_float32<T, double>;
        }
        return field.padding ? run_to_padded_float32<T, Usual<T>> : run_to_float32<T, Usual<T>>;
    });
    Conversion conversion(run, static_cast<std::size_t>(field.sample_elements()) * sizeof(float));
    conversion.channels_ = field.channels();
    conversion.channels_last_ = field.channels_last;
    conversion.packing_ = field.packing;
    if (field.padding) {
        conversion.padding_ = *field.padding;
        conversion.padded_ = {field.shape[field.shape.size() - 2], field.shape.back()};
    }
    const auto widen = [&](std::vector<double>& values, std::size_t count) {
        CRESCENDO_EXPECT(values.size() == 1 || values.size() == static_cast<std::size_t>(conversion.channels_.count));
        values.resize(count, values.front());
    };
    const auto count = std::max(normalization.mean.size(), normalization.std.size());
    widen(normalization.mean, count);
    widen(normalization.std, count);
    conversion.rounded_ = {{normalization.mean.begin(), normalization.mean.end()},
                           {normalization.std.begin(), normalization.std.end()}};
    conversion.exact_ = {std::move(normalization.mean), std::move(normalization.std)};
    return conversion;
}

Conversion Conversion::to_int64(const Field& field) {
    CRESCENDO_EXPECT(!field.is_real());
    const auto run = with_type(field.type, []<class T>() -> Function { return run_to_int64<T>; });
    Conversion conversion(run, static_cast<std::size_t>(field.sample_elements()) * sizeof(std::int64_t));
    conversion.packing_ = field.packing;
    return conversion;
}

}  // namespace crescendo::datasets
