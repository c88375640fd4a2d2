#include "trainer/step/augmentation.hpp"

#include <ATen/ATen.h>

#include <numbers>

#include "trainer/models/layers/dropout.hpp"

namespace crescendo::trainer {

namespace {

// Negative, because the layers of a model are numbered from 0.
constexpr std::int64_t draws_layer = -1;
constexpr std::int64_t noise_layer = -2;

/// The random numbers of a sample.
enum Draw { mirrored, turned, row_shift, column_shift, covered_row, covered_column, num_draws };

/// Converts hashes to numbers from 0 to 1.
at::Tensor to_unit(const at::Tensor& hashes) { return hashes.to(at::kFloat).mul_(0x1p-32).add_(0.5).clamp_(0, 1); }

/// (samples, 1): uniformly distributed whole numbers from 0 to `most`.
at::Tensor whole(const at::Tensor& draws, Draw draw, std::int64_t most) {
    return (draws.select(1, draw).unsqueeze(1) * static_cast<double>(most + 1)).to(at::kLong).clamp_max_(most);
}

/// (samples, length): the row or column from which each one is copied, which may be outside of the image.
at::Tensor places(const at::Tensor& draws, std::int64_t length, bool may_flip, Draw flip, Draw shift,
                  std::int64_t padding) {
    const at::Tensor line = at::arange(length, draws.options().dtype(at::kLong)).unsqueeze(0);
    at::Tensor from = line.expand({draws.size(0), length});
    if (may_flip) {
        from = at::where(draws.select(1, flip).unsqueeze(1) < 0.5, length - 1 - line, line);
    }
    return from + (whole(draws, shift, 2 * padding) - padding);
}

at::Tensor inside(const at::Tensor& places, std::int64_t length) {
    return places.ge(0).logical_and_(places.lt(length));
}

/// (samples, length): whether a square around a random center covers each row or column.
at::Tensor under_square(const at::Tensor& draws, Draw center, std::int64_t length, std::int64_t side) {
    const at::Tensor distance = at::arange(length, draws.options().dtype(at::kLong)).unsqueeze(0) -
                                whole(draws, center, length - 1) + side / 2;
    return inside(distance, side);
}

/// (samples, 1, height, width): true if both the row (samples, height) and the column (samples, width) are true.
at::Tensor both(const at::Tensor& rows, const at::Tensor& columns) {
    return rows.unsqueeze(2).logical_and(columns.unsqueeze(1)).unsqueeze(1);
}

}  // namespace

/// `images` have four axes.
at::Tensor Augmentation::moved(const at::Tensor& images, const at::Tensor& draws) const {
    const auto height = images.size(2);
    const auto width = images.size(3);
    const bool left_right = settings_.flip == Flip::horizontal || settings_.flip == Flip::both;
    const bool up_down = settings_.flip == Flip::vertical || settings_.flip == Flip::both;
    const auto padding = settings_.crop_padding;
    const at::Tensor rows = places(draws, height, up_down, turned, row_shift, padding);
    const at::Tensor columns = places(draws, width, left_right, mirrored, column_shift, padding);
    const at::Tensor from = rows.clamp(0, height - 1).unsqueeze(2) * width + columns.clamp(0, width - 1).unsqueeze(1);
    const at::Tensor found =
        images.flatten(2).gather(2, from.flatten(1).unsqueeze(1).expand({-1, images.size(1), -1})).view_as(images);
    if (padding == 0) {
        return found;
    }
    return found.mul(both(inside(rows, height), inside(columns, width)));
}

at::Tensor Augmentation::covered(const at::Tensor& images, const at::Tensor& draws) const {
    const at::Tensor rows = under_square(draws, covered_row, images.size(2), settings_.cutout);
    const at::Tensor columns = under_square(draws, covered_column, images.size(3), settings_.cutout);
    return images.masked_fill(both(rows, columns), 0);
}

/// Adds normally distributed numbers, each made from two hashes (Box and Muller, 1958).
at::Tensor Augmentation::noisy(const at::Tensor& inputs, const at::Tensor& keys) {
    const auto numbers = inputs.numel() / inputs.size(0);
    if (!noise_keys_.defined()) {
        noise_keys_ = unit_keys(noise_layer, 2 * numbers).to(inputs.device());
    }
    const at::Tensor uniform = to_unit(hashed(keys, noise_keys_));
    const at::Tensor length = uniform.narrow(1, 0, numbers).clamp_min(0x1p-33).log_().mul_(-2).sqrt_();
    const at::Tensor angle = uniform.narrow(1, numbers, numbers).mul(2 * std::numbers::pi);
    return inputs.add(angle.cos_().mul_(length).view(inputs.sizes()), settings_.noise);
}

Batch Augmentation::operator()(const Batch& batch, const at::Tensor& keys, Task::Kind kind) {
    Batch changed = batch;
    if (settings_.moves() || settings_.cutout > 0) {
        if (!draw_keys_.defined()) {
            draw_keys_ = unit_keys(draws_layer, num_draws).to(keys.device());
        }
        const at::Tensor draws = to_unit(hashed(keys, draw_keys_));
        const auto shape = batch.inputs.sizes();
        at::Tensor images = batch.inputs.dim() == 3 ? batch.inputs.unsqueeze(1) : batch.inputs;
        if (settings_.moves()) {
            images = moved(images, draws);
            changed.targets = kind == Task::Kind::reconstruction ? images.flatten(1) : batch.targets;
        }
        if (settings_.cutout > 0) {
            images = covered(images, draws);
        }
        changed.inputs = images.view(shape);
    }
    if (settings_.noise > 0) {
        changed.inputs = noisy(changed.inputs, keys);
    }
    return changed;
}

}  // namespace crescendo::trainer
