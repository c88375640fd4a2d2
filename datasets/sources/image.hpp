#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace crescendo::datasets {

/// Pixels of a picture, row-major: red, green and blue per pixel.
struct Image {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::vector<std::uint8_t> rgb;
};

/// Whether the name ends in .png, .jpg or .jpeg.
bool is_image(const std::filesystem::path& file);

/// Reads a PNG or JPEG file: grey becomes three equal channels, 16 bits become 8, transparency is dropped. Throws
/// InvalidInput if the file is damaged, is CMYK, or has a format that this build does not support.
Image read_image(const std::filesystem::path& file);

/// The picture in another size. Each new pixel is the mean of the pixels that it covers, weighted by a triangle twice
/// as wide (bilinear interpolation with antialiasing, like Pillow's BILINEAR and torchvision's Resize).
Image resized(const Image& image, std::int64_t height, std::int64_t width);

}  // namespace crescendo::datasets
