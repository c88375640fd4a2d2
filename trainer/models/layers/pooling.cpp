#include "trainer/models/layers/pooling.hpp"

#include <ATen/ATen.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

// Crescendo is compiled for every x86-64 processor. The loops over channels are also compiled for AVX2, which makes
// them twice as fast.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define CRESCENDO_ALSO_FOR_AVX2 __attribute__((target_clones("default", "avx2")))
#else
#define CRESCENDO_ALSO_FOR_AVX2
#endif

namespace crescendo::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The place of a result says which of the four values it was: 0 and 1 in the upper row, 2 and 3 in the lower one. This
/// value means none of them: ReLU made the result 0.
constexpr int nowhere = 4;

/// Disables the floor: no number is less than or equal to NaN.
constexpr float no_floor = std::numeric_limits<float>::quiet_NaN();

/// A row of results, each from two pixels in each of two rows of an image. A pixel's channels lie together.
struct Row {
    std::int64_t channels;
    std::int64_t pixels;  ///< pixels of the results
    std::int64_t lower;   ///< offset, in values, from the image's upper row to the lower one
};

/// Takes the first of equal values, and the last NaN, as torch does. Takes the floor if all values are less.
CRESCENDO_ALSO_FOR_AVX2
void pool(Row row, float floor, const float* image, float* results, std::uint8_t* places, int* scratch) {
    for (std::int64_t pixel = 0; pixel < row.pixels; ++pixel) {
        const float* upper = image + 2 * pixel * row.channels;
        const float* lower = upper + row.lower;
        float* result = results + pixel * row.channels;
        int* place = scratch + pixel * row.channels;
#pragma GCC ivdep
        for (std::int64_t i = 0; i < row.channels; ++i) {
            float largest = upper[i];
            int at = 0;
            const float others[] = {upper[row.channels + i], lower[i], lower[row.channels + i]};
            for (int k = 0; k < 3; ++k) {
                const bool larger = others[k] > largest || others[k] != others[k];
                largest = larger ? others[k] : largest;
                at = larger ? k + 1 : at;
            }
            result[i] = largest < floor ? floor : largest;
            place[i] = largest <= floor ? nowhere : at;
        }
    }
    // Narrowed in a separate loop, because the loop above is faster if all of its values have the same size.
    for (std::int64_t i = 0; i < row.pixels * row.channels; ++i) {
        places[i] = static_cast<std::uint8_t>(scratch[i]);
    }
}

/// Writes both rows of the image's gradient, except for an odd last pixel.
CRESCENDO_ALSO_FOR_AVX2
void unpool(Row row, const float* gradients, const std::uint8_t* places, float* image, int* scratch) {
    for (std::int64_t i = 0; i < row.pixels * row.channels; ++i) {
        scratch[i] = places[i];
    }
    for (std::int64_t pixel = 0; pixel < row.pixels; ++pixel) {
        float* upper = image + 2 * pixel * row.channels;
        float* lower = upper + row.lower;
        const float* gradient = gradients + pixel * row.channels;
        const int* place = scratch + pixel * row.channels;
#pragma GCC ivdep
        for (std::int64_t i = 0; i < row.channels; ++i) {
            const auto added = std::bit_cast<std::uint32_t>(gradient[i] + 0.0f);  // torch adds it to 0, so -0 becomes 0
            // Masks instead of conditions, because GCC compiles conditions to branches.
            const auto if_place = [&](int at) { return std::bit_cast<float>(added & -std::uint32_t{place[i] == at}); };
            upper[i] = if_place(0);
            upper[row.channels + i] = if_place(1);
            lower[i] = if_place(2);
            lower[row.channels + i] = if_place(3);
        }
    }
}

/// The first number of each row of images: (samples, rows). begins_of_upper_rows() has only the upper row of each pair.
at::Tensor begins_of_rows(const at::Tensor& images) { return images.select(1, 0).select(2, 0); }
at::Tensor begins_of_upper_rows(const at::Tensor& images) {
    return begins_of_rows(images).slice(1, 0, images.size(2) / 2 * 2, 2);
}

/// Calls function(pointers, scratch) for each row of results, with pointers to the row's first numbers in the config's
/// tensors. Torch's threads share the rows.
template <class Function>
void for_each_row(at::TensorIteratorConfig& begins, const Row& row, const Function& function) {
    auto rows = begins.check_all_same_dtype(false).resize_outputs(false).build();
    const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t inner, std::int64_t outer) {
        std::vector<int> scratch(row.pixels * row.channels);
        for (std::int64_t i = 0; i < outer; ++i) {
            for (std::int64_t j = 0; j < inner; ++j) {
                const auto begin = [&](int k) { return data[k] + i * strides[rows.ntensors() + k] + j * strides[k]; };
                function(begin, scratch.data());
            }
        }
    };
    rows.for_each(loop, at::internal::GRAIN_SIZE / (row.pixels * row.channels) + 1);
}

Row row_of(const at::Tensor& images) {
    return {.channels = images.size(1), .pixels = images.size(3) / 2, .lower = images.size(1) * images.size(3)};
}

struct MaxPool : torch::autograd::Function<MaxPool> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& images, float floor) {
        const std::vector<std::int64_t> size{images.size(0), images.size(1), images.size(2) / 2, images.size(3) / 2};
        const at::Tensor results = at::empty(size, images.options(), at::MemoryFormat::ChannelsLast);
        const at::Tensor places = at::empty(size, images.options().dtype(at::kByte), at::MemoryFormat::ChannelsLast);
        const Row row = row_of(images);
        for_each_row(at::TensorIteratorConfig()
                         .add_owned_output(begins_of_rows(results))
                         .add_owned_output(begins_of_rows(places))
                         .add_owned_const_input(begins_of_upper_rows(images)),
                     row, [&](const auto& begin, int* scratch) {
                         pool(row, floor, reinterpret_cast<const float*>(begin(2)), reinterpret_cast<float*>(begin(0)),
                              reinterpret_cast<std::uint8_t*>(begin(1)), scratch);
                     });
        context->save_for_backward({places});
        context->saved_data["size"] = images.sizes();
        return results;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        TORCH_CHECK_NOT_IMPLEMENTED(!at::GradMode::is_enabled(), "max_pool has no second derivative");
        const at::Tensor places = context->get_saved_variables().front();
        const at::Tensor gradient = gradients.front().contiguous(at::MemoryFormat::ChannelsLast);
        const at::Tensor images =
            at::empty(context->saved_data["size"].toIntVector(), gradient.options(), at::MemoryFormat::ChannelsLast);
        const Row row = row_of(images);
        for_each_row(at::TensorIteratorConfig()
                         .add_owned_output(begins_of_upper_rows(images))
                         .add_owned_const_input(begins_of_rows(gradient))
                         .add_owned_const_input(begins_of_rows(places)),
                     row, [&](const auto& begin, int* scratch) {
                         unpool(row, reinterpret_cast<const float*>(begin(1)),
                                reinterpret_cast<const std::uint8_t*>(begin(2)), reinterpret_cast<float*>(begin(0)),
                                scratch);
                     });
        for (const int axis : {2, 3}) {
            const std::int64_t rest = images.size(axis) % 2;
            images.narrow(axis, images.size(axis) - rest, rest).zero_();
        }
        return {images, at::Tensor()};
    }
};

/// Whether these loops can process the images: channels-last float32 in CPU memory.
bool is_for_us(const at::Tensor& images) {
    return images.dim() == 4 && images.is_cpu() && images.layout() == at::kStrided &&
           images.scalar_type() == at::kFloat && images.suggest_memory_format() == at::MemoryFormat::ChannelsLast &&
           images.is_contiguous(at::MemoryFormat::ChannelsLast) && images.numel() > 0 && images.size(2) > 1 &&
           images.size(3) > 1;
}

}  // namespace

at::Tensor max_pool(const at::Tensor& images) {
    return is_for_us(images) ? MaxPool::apply(images, no_floor) : at::max_pool2d(images, 2);
}

at::Tensor max_pool_relu(const at::Tensor& images) {
    return is_for_us(images) ? MaxPool::apply(images, 0.0f) : at::relu(at::max_pool2d(images, 2));
}

}  // namespace crescendo::trainer
