#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "datasets/sources/image.hpp"
#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

struct ImageOptions {
    std::optional<std::pair<std::int64_t, std::int64_t>> size = {};  ///< height and width of all images
    bool gray = false;                                               ///< whether to keep only brightness
};

/// Reads PNG and JPEG files below FOLDER/CLASS/, as torchvision's ImageFolder does: the classes are the folders, sorted
/// by name and numbered from 0.
/// Inputs are uint8: channels x height x width (red, green, blue), or height x width if gray (ITU-R BT.601). Targets
/// are the class numbers: uint8 for up to 256 classes, else uint16.
class ImageFolder : public SetSource {
  public:
    /// Throws InvalidInput if there are no such folders, or if one has no images.
    explicit ImageFolder(const std::filesystem::path& folder, const ImageOptions& options = {});

    const std::string& name() const override { return name_; }
    std::int64_t num_samples() const override { return std::ssize(files_); }
    const SampleFormat& inputs() const override { return inputs_; }
    const SampleFormat* targets() const override { return &targets_; }
    std::vector<std::string> class_names() const override { return class_names_; }
    void skip(std::int64_t num_samples) override { next_ += static_cast<std::size_t>(num_samples); }

    /// Reads the next images. Also throws InvalidInput for an image whose size differs from the first one's, unless
    /// images are resized.
    void read(std::span<std::byte> inputs, std::span<std::byte> targets) override;

  private:
    struct File {
        std::filesystem::path path;
        std::uint16_t class_number = 0;
    };
    Image load(const std::filesystem::path& file) const;
    void store(const Image& image, std::span<std::byte> out) const;

    std::string name_;
    ImageOptions options_;
    std::vector<std::string> class_names_;
    std::vector<File> files_;
    std::size_t next_ = 0;
    std::int64_t height_ = 0;
    std::int64_t width_ = 0;
    SampleFormat inputs_;
    SampleFormat targets_;
};

}  // namespace crescendo::datasets
