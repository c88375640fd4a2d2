#include "samples.hpp"

#include <fstream>
#include <vector>

#include "core/random.hpp"
#include "datasets/convert.hpp"

namespace crescendo::trainer::test {

namespace {

constexpr int side = 8;

void write_idx(const std::filesystem::path& file, const std::vector<std::uint32_t>& shape,
               const std::vector<unsigned char>& bytes) {
    std::ofstream out(file, std::ios::binary);
    out.put(0).put(0).put(8).put(static_cast<char>(shape.size()));  // 8: unsigned bytes
    for (const auto length : shape) {
        for (const int shift : {24, 16, 8, 0}) out.put(static_cast<char>(length >> shift & 0xFF));
    }
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

std::string write_images(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                         std::uint64_t seed) {
    std::vector<unsigned char> pixels;
    std::vector<unsigned char> classes;
    for (std::int64_t i = 0; i < count; ++i) {
        CounterRandom random(seed, static_cast<std::uint64_t>(i));
        const int bright = static_cast<int>(random.below(4));
        classes.push_back(static_cast<unsigned char>(bright));
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const int quarter = 2 * (y / 4) + x / 4;
                pixels.push_back(static_cast<unsigned char>((quarter == bright ? 100 : 0) + random.below(150)));
            }
        }
    }
    const auto images = file.parent_path() / (group + "-images");
    const auto labels = file.parent_path() / (group + "-labels");
    const auto n = static_cast<std::uint32_t>(count);
    write_idx(images, {n, side, side}, pixels);
    write_idx(labels, {n}, classes);
    std::string location = file.string() + ":/" + group;
    datasets::ConvertOptions options;
    options.chunk_samples = 8;
    datasets::convert_idx(images, labels, location, {}, options);
    return location;
}

nlohmann::json small_cnn(const std::string& train, const std::string& validation) {
    nlohmann::json data = {{"train", train}};
    if (!validation.empty()) data["validation"] = validation;
    return {{"model", "cnn"}, {"width", 4}, {"depth", 1}, {"batch_size", 8}, {"lr", 0.02}, {"data", data}};
}

}  // namespace crescendo::trainer::test
