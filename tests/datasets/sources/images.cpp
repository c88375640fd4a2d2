#include <doctest/doctest.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>
#ifdef CRESCENDO_PNG
#include <png.h>
#endif
#ifdef CRESCENDO_JPEG
#include <jpeglib.h>
#endif

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/sources/image_folder.hpp"
#include "datasets/writers/convert.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("each pixel of a resized image is the mean of the area that it covers") {
    // Rows {0, 30} and {90, 120}, three equal channels.
    const Image image{2, 2, {0, 0, 0, 30, 30, 30, 90, 90, 90, 120, 120, 120}};

    CHECK(resized(image, 2, 2).rgb == image.rgb);
    CHECK(resized(image, 1, 1).rgb == std::vector<std::uint8_t>{60, 60, 60});
    // Pillow's BILINEAR of [0, 30] to four: 0, 7.5, 22.5, 30.
    CHECK(resized({1, 2, {0, 0, 0, 30, 30, 30}}, 1, 4).rgb ==
          std::vector<std::uint8_t>{0, 0, 0, 8, 8, 8, 23, 23, 23, 30, 30, 30});
    // A pixel's weight falls with its distance from the center, as in Pillow: 5/24, 7/24, 7/24, 5/24.
    CHECK(resized({1, 4, {120, 120, 120, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, 1, 1).rgb ==
          std::vector<std::uint8_t>{25, 25, 25});
    const Image plain{5, 7, std::vector<std::uint8_t>(105, 200)};
    CHECK(resized(plain, 3, 11).rgb == std::vector<std::uint8_t>(99, 200));
}

#if defined(CRESCENDO_PNG) && defined(CRESCENDO_JPEG)

namespace {

namespace fs = std::filesystem;

/// Writes a PNG file. Bytes per pixel give its format: 1 grey, 2 grey and opacity, 3 colours, 4 colours and opacity.
void write_png(const fs::path& file, unsigned height, unsigned width, const std::vector<std::uint8_t>& pixels) {
    constexpr std::array<png_uint_32, 5> formats{0, PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.height = height;
    header.width = width;
    header.format = formats.at(pixels.size() / (height * width));
    fs::create_directories(file.parent_path());
    REQUIRE(png_image_write_to_file(&header, file.c_str(), 0, pixels.data(), 0, nullptr) != 0);
}

/// Writes a PNG file of one row with these bits per number, this colour type and gamma. 16-bit numbers are big-endian.
void write_png_of(const fs::path& file, unsigned width, int bits, int color, std::vector<std::uint8_t> row,
                  double gamma = 0) {
    fs::create_directories(file.parent_path());
    std::FILE* out = std::fopen(file.c_str(), "wb");
    REQUIRE(out != nullptr);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, out);
    png_set_IHDR(png, info, width, 1, bits, color, PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (gamma > 0) {
        png_set_gAMA(png, info, gamma);
    }
    png_bytep rows = row.data();
    png_write_info(png, info);
    png_write_image(png, &rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    std::fclose(out);
}

/// Writes a JPEG file of one colour, of 1 (grey), 3 (red, green, blue) or 4 (CMYK) components.
void write_jpeg(const fs::path& file, unsigned height, unsigned width, std::vector<std::uint8_t> color) {
    fs::create_directories(file.parent_path());
    std::FILE* out = std::fopen(file.c_str(), "wb");
    REQUIRE(out != nullptr);
    jpeg_compress_struct encoder{};
    jpeg_error_mgr errors{};
    encoder.err = jpeg_std_error(&errors);
    jpeg_create_compress(&encoder);
    jpeg_stdio_dest(&encoder, out);
    encoder.image_height = height;
    encoder.image_width = width;
    encoder.input_components = static_cast<int>(color.size());
    encoder.in_color_space = color.size() == 1 ? JCS_GRAYSCALE : color.size() == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, 100, TRUE);
    jpeg_start_compress(&encoder, TRUE);
    std::vector<std::uint8_t> row;
    for (unsigned x = 0; x < width; ++x) {
        row.insert(row.end(), color.begin(), color.end());
    }
    for (unsigned y = 0; y < height; ++y) {
        JSAMPROW rows = row.data();
        jpeg_write_scanlines(&encoder, &rows, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    std::fclose(out);
}

struct Images {
    TemporaryFolder temporary;
    fs::path folder = temporary / "images";
    fs::path file = temporary / "set.h5";

    Content converted(const ImageOptions& options = {}) {
        fs::remove(file);
        ImageFolder source(folder, options);
        convert(source, source.num_samples(), file.string() + ":/train", {.chunk_samples = 2});
        set = SampleSet::open(file.string() + ":/train");
        return read_all(*set);
    }
    doctest::String complaint(const ImageOptions& options = {}) {
        return complaint_of([&] { converted(options); });
    }

    std::shared_ptr<SampleSet> set;
};

/// The strings of the attribute `classes`.
std::vector<std::string> class_names_in(const fs::path& file) {
    const hdf5::Session session;
    const auto handle = hdf5::open_file(file, hdf5::Access::read);
    const auto attribute =
        hdf5::own(H5Aopen_by_name(handle.get(), "/train/targets", "classes", H5P_DEFAULT, H5P_DEFAULT), "");
    const auto type = hdf5::own(H5Aget_type(attribute.get()), "");
    const auto space = hdf5::own(H5Aget_space(attribute.get()), "");
    std::vector<char*> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    H5Aread(attribute.get(), type.get(), values.data());
    const std::vector<std::string> names(values.begin(), values.end());
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, values.data());
    return names;
}

}  // namespace

TEST_CASE("folders of images become a set whose classes are the folders in order") {
    Images images;
    write_png(images.folder / "dog/2.PNG", 1, 2, {1, 2, 3, 4, 5, 6});
    write_png(images.folder / "dog/1.png", 1, 2, {7, 8, 9, 10, 11, 12});
    write_png(images.folder / "cat/deep/x.png", 1, 2, {100, 200});             // grey
    write_png(images.folder / "cat/z.png", 1, 2, {1, 2, 3, 0, 4, 5, 6, 128});  // with opacity
    write_bytes(images.folder / "cat/notes.txt", bytes_of<char>({'x'}));
    fs::create_directories(images.folder / ".cache");

    const auto content = images.converted();

    CHECK(images.set->inputs()[0].shape == std::vector<std::int64_t>{3, 1, 2});
    CHECK(content.inputs == bytes_of<std::uint8_t>({100, 200, 100, 200, 100, 200,   // cat/deep/x.png: red, green, blue
                                                    1,   4,   2,   5,   3,   6,     // cat/z.png
                                                    7,   10,  8,   11,  9,   12,    // dog/1.png
                                                    1,   4,   2,   5,   3,   6}));  // dog/2.PNG
    CHECK(content.targets == bytes_of<std::uint8_t>({0, 0, 1, 1}));
    CHECK(class_names_in(images.file) == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("more than 256 classes have numbers of two bytes") {
    Images images;
    write_png(images.temporary / "one.png", 1, 1, {7});
    for (int i = 0; i < 257; ++i) {
        const auto folder = images.folder / std::to_string(1000 + i);
        fs::create_directories(folder);
        fs::create_hard_link(images.temporary / "one.png", folder / "1.png");
    }

    const auto content = images.converted({.gray = true});

    std::vector<std::uint16_t> numbers(257);
    std::iota(numbers.begin(), numbers.end(), 0);
    CHECK(content.targets == bytes_of(numbers));
}

TEST_CASE("images are converted to grey by their brightness") {
    Images images;
    write_png(images.folder / "a/1.png", 1, 2, {255, 0, 0, 0, 255, 0});
    write_png(images.folder / "a/2.png", 1, 2, {0, 0, 255, 77, 77, 77});

    const auto content = images.converted({.gray = true});

    CHECK(images.set->inputs()[0].shape == std::vector<std::int64_t>{1, 2});
    CHECK(content.inputs == bytes_of<std::uint8_t>({76, 150, 29, 77}));  // 0.299, 0.587 and 0.114 of 255
}

TEST_CASE("16-bit values of a PNG file are scaled to 8 bits linearly, not as a screen would show them") {
    Images images;
    write_png_of(images.folder / "a/1.png", 4, 16, PNG_COLOR_TYPE_GRAY, {0, 0, 0x40, 0x40, 0x80, 0x80, 0xFF, 0xFF});
    write_png_of(images.folder / "a/2.png", 4, 16, PNG_COLOR_TYPE_GRAY_ALPHA,
                 {0, 100, 0, 0, 10, 255, 0, 0, 20, 200, 0, 0, 30, 0, 0, 0});

    const auto content = images.converted({.gray = true});

    CHECK(content.inputs == bytes_of<std::uint8_t>({0, 64, 128, 255,   // of 65535: 0, 16448, 32896, 65535
                                                    0, 11, 21, 30}));  // 100 / 257, 2815 / 257, 5320 / 257, 7680 / 257
}

TEST_CASE("the gamma that a PNG file names does not change its pixels") {
    Images images;
    int number = 0;
    for (const double gamma : {1.0, 0.55556, 0.45455}) {
        write_png_of(images.folder / "a" / (std::to_string(++number) + ".png"), 4, 8, PNG_COLOR_TYPE_GRAY,
                     {4, 64, 128, 250}, gamma);
    }

    const auto content = images.converted({.gray = true});

    CHECK(content.inputs == bytes_of<std::uint8_t>({4, 64, 128, 250, 4, 64, 128, 250, 4, 64, 128, 250}));
}

TEST_CASE("PNG files with less than 8 bits per pixel are converted to bytes") {
    Images images;
    write_png_of(images.folder / "a/1.png", 4, 1, PNG_COLOR_TYPE_GRAY, {0b01100000});
    write_png_of(images.folder / "a/2.png", 4, 4, PNG_COLOR_TYPE_GRAY, {0x0F, 0x12});

    const auto content = images.converted({.gray = true});

    CHECK(content.inputs == bytes_of<std::uint8_t>({0, 255, 255, 0, 0, 255, 17, 34}));
}

TEST_CASE("JPEG files in colour, grey and CMYK are read") {
    Images images;
    write_jpeg(images.folder / "a/1.jpg", 8, 8, {200, 100, 50});
    write_jpeg(images.folder / "a/2.jpeg", 8, 8, {77});
    write_jpeg(images.folder / "a/3.jpg", 8, 8, {200, 100, 50, 128});  // inverted inks: r = 200 * 128 / 255

    const auto content = images.converted();

    REQUIRE(content.inputs.size() == 3 * 3 * 64);
    const auto close = [&](std::size_t at, int expected) {
        return std::abs(std::to_integer<int>(content.inputs[at]) - expected) <= 2;  // lossy
    };
    CHECK((close(0, 200) && close(64, 100) && close(128, 50)));
    CHECK((close(192, 77) && close(256, 77) && close(320, 77)));
    CHECK((close(384, 100) && close(448, 50) && close(512, 25)));
}

TEST_CASE("the format of an image is recognized by its content, not its name") {
    Images images;
    write_png(images.folder / "a/png.JPEG", 1, 2, {10, 20});
    write_jpeg(images.folder / "a/jpeg.png", 1, 2, {77});

    const auto content = images.converted({.gray = true});

    CHECK(content.inputs == bytes_of<std::uint8_t>({77, 77, 10, 20}));
}

TEST_CASE("images of different sizes cause an error that names both, unless all are resized") {
    Images images;
    write_png(images.folder / "a/1.png", 1, 2, {10, 20});
    write_png(images.folder / "b/2.png", 2, 2, {10, 20, 30, 40});

    CHECK(images.complaint() == Contains("b/2.png has 2 x 2 pixels (height x width) but"));
    CHECK(images.complaint() == Contains("a/1.png has 1 x 2"));
    CHECK(images.complaint() == Contains("--size 1,2"));
    CHECK_FALSE(fs::exists(images.file));

    const auto content = images.converted({.size = {{1, 1}}, .gray = true});
    CHECK(content.inputs == bytes_of<std::uint8_t>({15, 25}));
}

TEST_CASE("an image that is cut off anywhere is refused with its name") {
    Images images;
    write_png(images.folder / "a/1.png", 32, 32, std::vector<std::uint8_t>(1024, 7));
    write_jpeg(images.folder / "a/2.jpg", 32, 32, {10, 20, 30});
    for (const std::string name : {"a/1.png", "a/2.jpg"}) {
        const auto whole = read_bytes(images.folder / name);
        for (std::size_t size = 0; size + 20 < whole.size(); size += 5) {
            CAPTURE(size);
            write_bytes(images.folder / name, std::span(whole).first(size));
            CHECK(images.complaint() == Contains((name + " cannot be read as an image").c_str()));
        }
        write_bytes(images.folder / name, whole);
    }
    CHECK(images.complaint() == "");
}

TEST_CASE("folders without images are refused") {
    Images images;
    fs::create_directories(images.folder);
    CHECK(images.complaint() == Contains("images holds 0 folders"));
    fs::create_directories(images.folder / "a");
    CHECK(images.complaint() == Contains("images/a holds no .png, .jpg or .jpeg file"));
    CHECK(complaint_of([] { ImageFolder("absent"); }) == Contains("absent is not a folder"));
}

#endif
