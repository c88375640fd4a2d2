#include "datasets/sources/image.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#ifdef CRESCENDO_PNG
#include <png.h>
#endif
#ifdef CRESCENDO_JPEG
#include <jpeglib.h>
#endif

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_read(const fs::path& file, const std::string& reason) {
    throw InvalidInput(text("{} cannot be read as an image: {}", file.string(), reason));
}

void allocate(Image& image, const fs::path& file, std::int64_t height, std::int64_t width) {
    constexpr std::int64_t most = std::int64_t{1} << 28;  // damaged files may claim any size
    if (height < 1 || width < 1 || height > most / width) {
        cannot_read(file, text("it claims to have {} x {} pixels", height, width));
    }
    image.height = height;
    image.width = width;
    image.rgb.resize(static_cast<std::size_t>(3 * height * width));
}

#ifdef CRESCENDO_PNG

/// State of libpng while it reads. Its errors jump to `place`. Warnings, such as about a damaged comment, are ignored.
struct PngReader {
    std::jmp_buf place{};
    std::array<char, 256> message{};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, jump, [](png_structp, png_const_charp) {});
    png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);

    PngReader() = default;
    ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    [[noreturn]] static void jump(png_structp png, png_const_charp words) {
        auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
        std::snprintf(reader.message.data(), reader.message.size(), "%s", words);
        std::longjmp(reader.place, 1);
    }
};

/// Returns whether it succeeded; if not, reader.message says why. Has no objects that a jump would fail to destroy.
/// Keeps the numbers as stored: libpng's simplified interface would change 16-bit numbers, and those of files with a
/// gamma, to look right on a screen.
bool decode_png(std::FILE* in, const fs::path& file, PngReader& reader, Image& image) {
    if (setjmp(reader.place) != 0) {
        return false;
    }
    png_init_io(reader.png, in);
    png_set_benign_errors(reader.png, 1);
    png_read_info(reader.png, reader.info);
    png_set_expand(reader.png);    // palettes and fewer than 8 bits
    png_set_scale_16(reader.png);  // v * 255 / 65535, rounded
    png_set_gray_to_rgb(reader.png);
    png_set_strip_alpha(reader.png);
    const int passes = png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    allocate(image, file, png_get_image_height(reader.png, reader.info), png_get_image_width(reader.png, reader.info));
    if (png_get_rowbytes(reader.png, reader.info) * static_cast<std::size_t>(image.height) != image.rgb.size()) {
        png_error(reader.png, "its pixels are not three bytes each");
    }
    for (int pass = 0; pass < passes; ++pass) {
        for (std::int64_t y = 0; y < image.height; ++y) {
            png_read_row(reader.png, &image.rgb[static_cast<std::size_t>(3 * y * image.width)], nullptr);
        }
    }
    return true;
}

Image read_png(const fs::path& file) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rbe"), std::fclose);
    if (!in) {
        cannot_read(file, "it cannot be opened");
    }
    Image image;
    PngReader reader;
    if (reader.info == nullptr) {
        cannot_read(file, "libpng cannot start");
    }
    if (!decode_png(in.get(), file, reader, image)) {
        cannot_read(file, reader.message.data());
    }
    return image;
}

#else

Image read_png(const fs::path& file) {
    cannot_read(file, "this build lacks libpng; install libpng-dev and build again");
}

#endif

#ifdef CRESCENDO_JPEG

/// libjpeg ends the program on an error unless its handler jumps. Its warnings mean damage, too.
struct JpegErrors {
    jpeg_error_mgr manager{};
    std::jmp_buf place{};
    std::array<char, JMSG_LENGTH_MAX> message{};

    static void jump(j_common_ptr info) {
        auto& errors = *reinterpret_cast<JpegErrors*>(info->err);
        info->err->format_message(info, errors.message.data());
        std::longjmp(errors.place, 1);
    }
    static void warn(j_common_ptr info, int level) {
        if (level < 0) {
            jump(info);
        }
    }
};

/// Converts four inks, which Adobe's programs store inverted, to colours, as Pillow does.
void to_rgb(const JSAMPLE* inks, std::size_t num_pixels, std::uint8_t* rgb) {
    for (std::size_t at = 0; at < 3 * num_pixels; ++at) {
        const int black = inks[at / 3 * 4 + 3];
        const int product = (255 - inks[at / 3 * 4 + at % 3]) * black + 128;
        rgb[at] = static_cast<std::uint8_t>(black - (((product >> 8) + product) >> 8));
    }
}

/// Returns whether it succeeded; if not, errors.message says why. Has no objects that a jump would fail to destroy.
/// `inks` is memory for a line.
bool decode_jpeg(std::FILE* in, const fs::path& file, JpegErrors& errors, jpeg_decompress_struct& decoder,
                 std::vector<JSAMPLE>& inks, Image& image) {
    if (setjmp(errors.place) != 0) {
        return false;
    }
    jpeg_create_decompress(&decoder);
    jpeg_stdio_src(&decoder, in);
    jpeg_read_header(&decoder, TRUE);
    const bool has_inks = decoder.num_components == 4;
    decoder.out_color_space = has_inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&decoder);
    allocate(image, file, decoder.output_height, decoder.output_width);
    inks.resize(std::size_t{4} * decoder.output_width);
    while (decoder.output_scanline < decoder.output_height) {
        auto* const pixels = &image.rgb[std::size_t{3} * decoder.output_scanline * decoder.output_width];
        JSAMPROW row = has_inks ? inks.data() : pixels;
        jpeg_read_scanlines(&decoder, &row, 1);
        if (has_inks) {
            to_rgb(inks.data(), decoder.output_width, pixels);
        }
    }
    jpeg_finish_decompress(&decoder);
    return true;
}

Image read_jpeg(const fs::path& file) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rbe"), std::fclose);
    if (!in) {
        cannot_read(file, "it cannot be opened");
    }
    Image image;
    std::vector<JSAMPLE> inks;
    JpegErrors errors;
    jpeg_decompress_struct decoder{};
    decoder.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = JpegErrors::jump;
    errors.manager.emit_message = JpegErrors::warn;
    const std::unique_ptr<jpeg_decompress_struct, decltype(&jpeg_destroy_decompress)> owner(&decoder,
                                                                                            jpeg_destroy_decompress);
    if (!decode_jpeg(in.get(), file, errors, decoder, inks, image)) {
        cannot_read(file, errors.message.data());
    }
    return image;
}

#else

Image read_jpeg(const fs::path& file) {
    cannot_read(file, "this build lacks libjpeg; install libjpeg-dev and build again");
}

#endif

/// Whether the file's content is PNG: in ImageNet and other data sets, some files have the wrong extension.
bool is_png(const fs::path& file) {
    constexpr std::string_view signature = "\x89PNG";
    std::string begin(signature.size(), '\0');
    std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return begin == signature;
}

/// Makes a pixel of a resized line: weights, which sum to 1, of the old pixels from `first` on.
struct Mixture {
    std::int64_t first = 0;
    std::vector<double> weights;
};

std::vector<Mixture> mixtures(std::int64_t from, std::int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double reach = std::max(1.0, scale);
    std::vector<Mixture> result;
    for (std::int64_t i = 0; i < to; ++i) {
        const double center = (static_cast<double>(i) + 0.5) * scale;
        Mixture mixture{std::max<std::int64_t>(0, std::llround(center - reach)), {}};
        const auto end = std::min<std::int64_t>(from, std::llround(center + reach));
        double sum = 0;
        for (auto k = mixture.first; k < end; ++k) {
            const double weight = std::max(0.0, 1 - std::abs((static_cast<double>(k) + 0.5 - center) / reach));
            mixture.weights.push_back(weight);
            sum += weight;
        }
        for (auto& weight : mixture.weights) {
            weight /= sum;
        }
        result.push_back(std::move(mixture));
    }
    return result;
}

}  // namespace

bool is_image(const fs::path& file) {
    auto name = file.extension().string();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name == ".png" || name == ".jpg" || name == ".jpeg";
}

Image read_image(const fs::path& file) { return is_png(file) ? read_png(file) : read_jpeg(file); }

Image resized(const Image& image, std::int64_t height, std::int64_t width) {
    const auto index = [](std::int64_t row, std::int64_t columns, std::int64_t column) {
        return static_cast<std::size_t>(3 * (row * columns + column));
    };
    std::vector<double> narrow(static_cast<std::size_t>(3 * image.height * width), 0.0);
    const auto columns = mixtures(image.width, width);
    for (std::int64_t y = 0; y < image.height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const auto& mixture = columns[static_cast<std::size_t>(x)];
            for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
                for (std::size_t c = 0; c < 3; ++c) {
                    narrow[index(y, width, x) + c] +=
                        mixture.weights[k] *
                        image.rgb[index(y, image.width, mixture.first + static_cast<std::int64_t>(k)) + c];
                }
            }
        }
    }
    Image result{height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * height * width))};
    const auto rows = mixtures(image.height, height);
    for (std::int64_t y = 0; y < height; ++y) {
        const auto& mixture = rows[static_cast<std::size_t>(y)];
        for (std::size_t at = 0; at < static_cast<std::size_t>(3 * width); ++at) {
            double value = 0;
            for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
                value +=
                    mixture.weights[k] * narrow[index(mixture.first + static_cast<std::int64_t>(k), width, 0) + at];
            }
            result.rgb[index(y, width, 0) + at] = static_cast<std::uint8_t>(std::lround(value));
        }
    }
    return result;
}

}  // namespace crescendo::datasets
