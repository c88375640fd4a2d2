#include "trainer/models/layers/dropout.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/random.hpp"

namespace crescendo::trainer {

namespace {

constexpr std::uint64_t masks = std::uint64_t{1} << 63;  ///< a stream of a trial's seed that nothing else uses

/// 32 random bits of equal quality.
std::int32_t key_of(std::uint64_t seed, std::uint64_t stream) {
    return static_cast<std::int32_t>(CounterRandom(seed, stream).next() >> 32);
}

/// The units of images are counted in their memory order, which is channels-last (make_convolution).
at::Tensor shaped_like(const at::Tensor& units, const at::Tensor& x) {
    if (x.dim() != 4) {
        return units.view(x.sizes());
    }
    return units.view({x.size(0), x.size(2), x.size(3), x.size(1)}).permute({0, 3, 1, 2});
}

}  // namespace

at::Tensor unit_keys(std::int64_t layer, std::int64_t num_units) {
    at::Tensor keys = at::empty({num_units}, at::kInt);
    auto* const values = keys.mutable_data_ptr<std::int32_t>();
    for (std::int64_t unit = 0; unit < num_units; ++unit) {
        values[unit] = key_of(static_cast<std::uint64_t>(layer), static_cast<std::uint64_t>(unit));
    }
    return keys;
}

// The multipliers are those of Wellons' "lowbias32". The shift copies the sign bit, so a number and its complement get
// the same hash, which does no harm.
at::Tensor hashed(const at::Tensor& sample_keys, const at::Tensor& unit_keys) {
    at::Tensor x = sample_keys.unsqueeze(1).bitwise_xor(unit_keys);
    x.mul_(static_cast<std::int32_t>(0x7FEB352D));
    x.bitwise_xor_(x.bitwise_right_shift(15));
    return x.mul_(static_cast<std::int32_t>(0x846CA68B));
}

at::Tensor dropout_keys(std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& samples) {
    const std::uint64_t seed_of_epoch = CounterRandom(seed, masks | static_cast<std::uint64_t>(epoch)).next();
    at::Tensor keys = at::empty({static_cast<std::int64_t>(samples.size())}, at::kInt);
    std::transform(samples.begin(), samples.end(), keys.mutable_data_ptr<std::int32_t>(),
                   [&](std::int64_t sample) { return key_of(seed_of_epoch, static_cast<std::uint64_t>(sample)); });
    return keys;
}

void seed_generator(const at::Tensor& keys) {
    at::manual_seed(static_cast<std::uint64_t>(keys.defined() ? keys.to(at::kLong).sum().item<std::int64_t>() : 0));
}

at::Tensor Dropout::operator()(const at::Tensor& x, const at::Tensor& keys) {
    if (share_ == 0.0 || !keys.defined() || x.size(0) == 0) {
        return x;
    }
    if (!unit_keys_.defined()) {
        unit_keys_ = unit_keys(layer_, x.numel() / x.size(0)).to(x.device());
    }
    using Limits = std::numeric_limits<std::int32_t>;
    const auto first_kept = static_cast<std::int64_t>(Limits::min() + share_ * 0x1p32);
    const at::Tensor kept = hashed(keys, unit_keys_).ge(std::min<std::int64_t>(first_kept, Limits::max()));
    return x * shaped_like(kept, x).to(x.scalar_type()).mul_(1.0 / (1.0 - share_));
}

}  // namespace crescendo::trainer
