#include "datasets/sources/byte_source.hpp"

#include <zlib.h>
#ifdef CRESCENDO_LIBZIP
#include <zip.h>
#endif

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

[[noreturn]] void cut_off(const std::string& name, const std::string& reason) {
    throw InvalidInput(
        text("{} is truncated or damaged{}{}; download or copy it again", name, reason.empty() ? "" : ": ", reason));
}

class FileBytes : public ByteSource {
  public:
    explicit FileBytes(const std::filesystem::path& file)
        : ByteSource(file.string()), file_(gzopen(file.c_str(), "rbe")) {
        CRESCENDO_VALIDATE(file_ != nullptr && !std::filesystem::is_directory(file), "",
                           "{} cannot be opened: no such file, or no permission to read it", name());
        gzbuffer(file_.get(), 1U << 17);
    }

    void read(std::span<std::byte> out) override {
        if (gzfread(out.data(), 1, out.size(), file_.get()) != out.size()) {
            fail();
        }
        left_ -= std::ssize(out);
        if (left_ == 0 && gzdirect(file_.get()) == 0 && gzgetc(file_.get()) != -1) {
            cut_off(name(), "it is longer than it says");
        }
        if (left_ == 0 && is_damaged()) {  // it has compared the checksum
            fail();
        }
    }

    void skip(std::int64_t num_bytes) override {
        CRESCENDO_VALIDATE(gzseek(file_.get(), static_cast<z_off_t>(num_bytes), SEEK_CUR) >= 0, "",
                           "{} cannot be read: {}", name(), gzerror(file_.get(), nullptr));
        left_ -= num_bytes;
    }

    void expect(std::int64_t num_bytes) override { left_ = num_bytes; }

  private:
    bool is_damaged() const {
        int code = Z_OK;
        gzerror(file_.get(), &code);
        return code != Z_OK;
    }

    [[noreturn]] void fail() const { cut_off(name(), is_damaged() ? gzerror(file_.get(), nullptr) : ""); }

    struct Close {
        void operator()(gzFile_s* file) const { gzclose_r(file); }
    };
    std::unique_ptr<gzFile_s, Close> file_;
    std::int64_t left_ = std::numeric_limits<std::int64_t>::max();
};

#ifdef CRESCENDO_LIBZIP

class ZipBytes : public ByteSource {
  public:
    ZipBytes(const std::filesystem::path& file, const std::string& entry)
        : ByteSource(file.string() + ":" + entry), archive_(zip_open(file.c_str(), ZIP_RDONLY, nullptr)) {
        CRESCENDO_VALIDATE(archive_ != nullptr, "",
                           "{} cannot be opened: no such file, or not an archive of NumPy's {}", file.string(),
                           "savez");
        entry_.reset(zip_fopen(archive_.get(), (entry + ".npy").c_str(), 0));
        CRESCENDO_VALIDATE(entry_ != nullptr, "", "{} has no readable array \"{}\"; it holds {}", file.string(), entry,
                           entries());
        zip_stat_t status{};
        CRESCENDO_VALIDATE(zip_stat(archive_.get(), (entry + ".npy").c_str(), 0, &status) == 0, "",
                           "{} does not say its size; save it again", name());
        left_ = status.size;
    }

    void read(std::span<std::byte> out) override {
        while (!out.empty()) {
            const auto got = zip_fread(entry_.get(), out.data(), out.size());
            if (got <= 0) {
                cut_off(name(), got < 0 ? zip_error_strerror(zip_file_get_error(entry_.get())) : "");
            }
            out = out.subspan(static_cast<std::size_t>(got));
            left_ -= static_cast<zip_uint64_t>(got);
        }
        char none = 0;
        if (left_ == 0 && zip_fread(entry_.get(), &none, 1) != 0) {  // compares the checksum
            cut_off(name(), zip_error_strerror(zip_file_get_error(entry_.get())));
        }
    }

    void skip(std::int64_t num_bytes) override {
        std::vector<std::byte> skipped(std::size_t{1} << 17);
        while (num_bytes > 0) {
            const auto step = std::min(num_bytes, std::ssize(skipped));
            read(std::span(skipped).first(static_cast<std::size_t>(step)));
            num_bytes -= step;
        }
    }

    void expect(std::int64_t num_bytes) override {
        if (!std::cmp_equal(left_, num_bytes)) {
            cut_off(name(), "its size is not the one that it says");
        }
    }

  private:
    std::string entries() const {
        std::string names;
        for (zip_int64_t i = 0; i < zip_get_num_entries(archive_.get(), 0); ++i) {
            const char* name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
            const auto array = std::filesystem::path(name == nullptr ? "?" : name).replace_extension();
            names += (names.empty() ? "" : ", ") + array.string();
        }
        return names.empty() ? "none" : names;
    }

    struct Close {
        void operator()(zip_t* archive) const { zip_discard(archive); }
        void operator()(zip_file_t* entry) const { zip_fclose(entry); }
    };
    std::unique_ptr<zip_t, Close> archive_;
    std::unique_ptr<zip_file_t, Close> entry_;
    zip_uint64_t left_ = 0;  ///< bytes of the entry
};

#endif

}  // namespace

std::unique_ptr<ByteSource> open_file_bytes(const std::filesystem::path& file) {
    return std::make_unique<FileBytes>(file);
}

std::unique_ptr<ByteSource> open_npz_bytes(const std::filesystem::path& file, const std::string& entry) {
#ifdef CRESCENDO_LIBZIP
    return std::make_unique<ZipBytes>(file, entry);
#else
    throw InvalidInput(
        text("{}:{} cannot be read, because this build lacks libzip; install libzip-dev and build again, or save the "
             "array with numpy.save",
             file.string(), entry));
#endif
}

}  // namespace crescendo::datasets
