#include "tests/trainer/samples.hpp"

#include <hdf5.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <vector>

#include "core/random.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/sources/open_source.hpp"
#include "datasets/writers/convert.hpp"

namespace crescendo::trainer::test {

namespace {

constexpr int side = 8;

// Type codes of IDX.
constexpr char unsigned_bytes = 0x08;
constexpr char floats = 0x0D;

void put_big_endian(std::ofstream& out, std::uint32_t word) {
    for (const int shift : {24, 16, 8, 0}) out.put(static_cast<char>(word >> shift & 0xFF));
}

template <class Element>
void write_idx(const std::filesystem::path& file, char type, const std::vector<std::uint32_t>& shape,
               const std::vector<Element>& elements) {
    std::ofstream out(file, std::ios::binary);
    out.put(0).put(0).put(type).put(static_cast<char>(shape.size()));
    for (const auto length : shape) put_big_endian(out, length);
    for (const Element element : elements) {
        if constexpr (sizeof(Element) == 1) {
            out.put(static_cast<char>(element));
        } else {
            put_big_endian(out, std::bit_cast<std::uint32_t>(element));
        }
    }
}

/// Converts the files <group>-inputs and <group>-targets in the folder of `file` to a set in it.
std::string convert(const std::filesystem::path& file, const std::string& group, std::int64_t chunk_samples = 8) {
    std::string location = file.string() + ":/" + group;
    const auto path = (file.parent_path() / group).string();
    const auto source = datasets::open_source({path + "-inputs", path + "-targets"});
    datasets::convert(*source, source->num_samples(), location, {.chunk_samples = chunk_samples});
    return location;
}

}  // namespace

std::string write_images(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                         std::uint64_t seed, std::int64_t chunk_samples) {
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
    const auto n = static_cast<std::uint32_t>(count);
    write_idx(file.parent_path() / (group + "-inputs"), unsigned_bytes, {n, side, side}, pixels);
    write_idx(file.parent_path() / (group + "-targets"), unsigned_bytes, {n}, classes);
    return convert(file, group, chunk_samples);
}

std::string write_numbers(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                          std::int64_t nan_at) {
    std::vector<float> inputs;
    std::vector<float> targets;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto number = static_cast<float>(i);
        inputs.insert(inputs.end(), {number, i == nan_at ? std::nanf("") : 1.0F, number / 2});
        targets.insert(targets.end(), {2 * number, -number});
    }
    const auto n = static_cast<std::uint32_t>(count);
    write_idx(file.parent_path() / (group + "-inputs"), floats, {n, 3}, inputs);
    write_idx(file.parent_path() / (group + "-targets"), floats, {n, 2}, targets);
    return convert(file, group);
}

std::string write_waves(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                        std::uint64_t seed) {
    std::vector<float> inputs;
    std::vector<float> targets;
    const auto wave = [](double height, double phase, int at) {
        return static_cast<float>(height * std::sin(phase + 2 * M_PI * at / side));
    };
    for (std::int64_t i = 0; i < count; ++i) {
        CounterRandom random(seed, static_cast<std::uint64_t>(i));
        std::vector<float> along_x;
        std::vector<float> along_y;
        const double heights[] = {1 + random.uniform(), 1 + random.uniform()};
        const double phases[] = {2 * M_PI * random.uniform(), 2 * M_PI * random.uniform()};
        for (int at = 0; at < side * side; ++at) {
            along_x.push_back(wave(heights[0], phases[0], at % side));
            along_y.push_back(wave(heights[1], phases[1], at / side));
            targets.push_back(along_x.back() + along_y.back());
        }
        inputs.insert(inputs.end(), along_x.begin(), along_x.end());
        inputs.insert(inputs.end(), along_y.begin(), along_y.end());
    }
    const auto n = static_cast<std::uint32_t>(count);
    write_idx(file.parent_path() / (group + "-inputs"), floats, {n, 2, side, side}, inputs);
    write_idx(file.parent_path() / (group + "-targets"), floats, {n, side, side}, targets);
    return convert(file, group);
}

std::string without_targets(const std::string& location) {
    const auto place = datasets::Location::parse(location);
    const hid_t file = H5Fopen(place.file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, place.member("targets").c_str(), H5P_DEFAULT);
    H5Fclose(file);
    return location;
}

std::string with_targets_of(const std::string& other, const std::string& location) {
    without_targets(location);
    const auto place = datasets::Location::parse(location);
    const hid_t file = H5Fopen(place.file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_hard(file, datasets::Location::parse(other).member("targets").c_str(), file,
                   place.member("targets").c_str(), H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    return location;
}

std::string without_inputs(const std::string& location) {
    const auto place = datasets::Location::parse(location);
    const hid_t file = H5Fopen(place.file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t old = H5Dopen2(file, place.member("inputs").c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(old);
    H5Dclose(old);
    H5Ldelete(file, place.member("inputs").c_str(), H5P_DEFAULT);
    const hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(settings, "absent", 0, H5F_UNLIMITED);
    H5Dclose(
        H5Dcreate2(file, place.member("inputs").c_str(), H5T_NATIVE_UINT8, space, H5P_DEFAULT, settings, H5P_DEFAULT));
    H5Pclose(settings);
    H5Sclose(space);
    H5Fclose(file);
    return location;
}

nlohmann::json small_cnn(const std::string& train, const std::string& validation) {
    nlohmann::json data = {{"train", train}};
    if (!validation.empty()) data["validation"] = validation;
    return {{"model", "cnn"}, {"width", 4}, {"depth", 1}, {"batch_size", 8}, {"lr", 0.02}, {"data", data}};
}

nlohmann::json small_autoencoder(const std::string& train, const std::string& validation) {
    nlohmann::json settings = small_cnn(train, validation);
    settings["model"] = "autoencoder";
    settings["latent"] = 4;
    return settings;
}

}  // namespace crescendo::trainer::test
