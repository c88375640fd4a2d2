#include "datasets/sources/image_folder.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/check.hpp"
#include "datasets/sources/files_of.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder) {
    CRESCENDO_VALIDATE(fs::is_directory(folder), "", "{} is not a folder", folder.string());
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_directory() && !entry.path().filename().string().starts_with('.')) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

/// ITU-R BT.601's brightness, rounded as Pillow rounds it.
std::uint8_t brightness(const std::uint8_t* rgb) {
    return static_cast<std::uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

}  // namespace

ImageFolder::ImageFolder(const fs::path& folder, const ImageOptions& options)
    : name_(folder.string()), options_(options) {
    const auto folders = folders_in(folder);
    CRESCENDO_VALIDATE(
        !folders.empty() && folders.size() <= 65536, "",
        "{} holds {} folders; images need 1 to 65536, one for each class (FOLDER/CLASS/NAME.png); for {}", name_,
        folders.size(), "files of bare numbers, give --type and --shape");
    for (const auto& each : folders) {
        const auto before = files_.size();
        for (auto& file : files_of(each)) {
            if (is_image(file)) {
                files_.push_back({std::move(file), static_cast<std::uint16_t>(class_names_.size())});
            }
        }
        CRESCENDO_VALIDATE(files_.size() > before, "",
                           "{} holds no .png, .jpg or .jpeg file, so its class would have no samples; remove the "
                           "folder, or add images",
                           each.string());
        class_names_.push_back(each.filename().string());
    }

    if (options_.size) {
        std::tie(height_, width_) = *options_.size;
    } else {
        const auto first = read_image(files_.front().path);
        height_ = first.height;
        width_ = first.width;
    }
    inputs_.shape = {height_, width_};
    if (!options_.gray) {
        inputs_.shape.insert(inputs_.shape.begin(), 3);
    }
    targets_.type = class_names_.size() <= 256 ? ElementType::u8 : ElementType::u16;
}

void ImageFolder::read(std::span<std::byte> inputs, std::span<std::byte> targets) {
    const auto image_bytes = inputs_.bytes();
    const auto class_bytes = targets_.bytes();
    for (; !inputs.empty(); ++next_) {
        store(load(files_[next_].path), inputs.first(image_bytes));
        const auto number = files_[next_].class_number;
        const auto byte = static_cast<std::uint8_t>(number);
        std::memcpy(targets.data(), class_bytes == 1 ? static_cast<const void*>(&byte) : &number, class_bytes);
        inputs = inputs.subspan(image_bytes);
        targets = targets.subspan(class_bytes);
    }
}

Image ImageFolder::load(const fs::path& file) const {
    auto image = read_image(file);
    const bool fits = image.height == height_ && image.width == width_;
    CRESCENDO_VALIDATE(
        fits || options_.size, "",
        "{} has {} x {} pixels (height x width) but {} has {} x {}; all samples of a set must have the same shape; {}",
        file.string(), image.height, image.width, files_.front().path.string(), height_, width_,
        text("resize all, for example with --size {},{}", height_, width_));
    return fits ? std::move(image) : resized(image, height_, width_);
}

/// Converts interleaved pixels to one plane per colour, or to one plane of brightness.
void ImageFolder::store(const Image& image, std::span<std::byte> out) const {
    const auto num_pixels = image.rgb.size() / 3;
    for (std::size_t pixel = 0; pixel < num_pixels; ++pixel) {
        const auto* rgb = &image.rgb[3 * pixel];
        if (options_.gray) {
            out[pixel] = static_cast<std::byte>(brightness(rgb));
            continue;
        }
        for (std::size_t color = 0; color < 3; ++color) {
            out[color * num_pixels + pixel] = static_cast<std::byte>(rgb[color]);
        }
    }
}

}  // namespace crescendo::datasets
