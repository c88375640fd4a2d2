#include "tests/datasets/files.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <array>
#include <fstream>
#include <iterator>
#include <numeric>

#include "core/check.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::tests {

void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    REQUIRE(out.good());
}

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> gzip(std::span<const std::byte> bytes) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);  // + 16: gzip's header
    std::vector<std::byte> out(deflateBound(&stream, bytes.size()));
    std::vector<std::byte> in(bytes.begin(), bytes.end());
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::vector<std::byte> idx_bytes(int type_code, const std::vector<std::uint32_t>& shape,
                                 std::span<const std::byte> elements) {
    std::vector<std::byte> bytes{std::byte{0}, std::byte{0}, static_cast<std::byte>(type_code),
                                 static_cast<std::byte>(shape.size())};
    for (const auto length : shape) {
        for (const int shift : {24, 16, 8, 0}) {
            bytes.push_back(static_cast<std::byte>(length >> shift & 0xFF));
        }
    }
    bytes.insert(bytes.end(), elements.begin(), elements.end());
    return bytes;
}

Hdf5Writer::Hdf5Writer(const std::filesystem::path& file, bool latest) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (latest) {
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    }
    file_ = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    REQUIRE(file_ >= 0);
}

Hdf5Writer::Hdf5Writer(hid_t file) : file_(file) { REQUIRE(file_ >= 0); }

Hdf5Writer Hdf5Writer::reopened(const std::filesystem::path& file) {
    return Hdf5Writer(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
}

void Hdf5Writer::attribute(const std::string& path, const char* name, hid_t memory_type,
                           std::span<const std::byte> values) {
    const hsize_t count = values.size() / H5Tget_size(memory_type);
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t attribute =
        H5Acreate_by_name(file_, path.c_str(), name, memory_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Awrite(attribute, memory_type, values.data()) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

Hdf5Writer::~Hdf5Writer() { H5Fclose(file_); }

void Hdf5Writer::add(const std::string& path, const std::vector<hsize_t>& shape, hid_t memory_type, const void* values,
                     const Layout& layout) {
    const hid_t link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (!layout.chunk.empty()) {
        H5Pset_chunk(creation, static_cast<int>(layout.chunk.size()), layout.chunk.data());
    }
    if (layout.deflate) {
        H5Pset_deflate(creation, 4);
    }
    for (const auto filter : layout.filters) {
        if (filter == H5Z_FILTER_SZIP) {
            H5Pset_szip(creation, H5_SZIP_NN_OPTION_MASK, 16);
            continue;
        }
        const unsigned level = 4;
        H5Pset_filter(creation, filter, H5Z_FLAG_MANDATORY, filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level);
    }
    layout.settle(creation);
    // Chunks may be larger than the data set only if it may grow.
    const std::vector<hsize_t> limit(shape.size(), H5S_UNLIMITED);
    const hid_t space =
        H5Screate_simple(static_cast<int>(shape.size()), shape.data(), layout.chunk.empty() ? nullptr : limit.data());
    const hid_t file_type = layout.file_type >= 0 ? layout.file_type : memory_type;
    const hid_t data_set = H5Dcreate2(file_, path.c_str(), file_type, space, link, creation, H5P_DEFAULT);
    REQUIRE(data_set >= 0);
    if (values != nullptr) {
        REQUIRE(H5Dwrite(data_set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    H5Dclose(data_set);
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(link);
}

std::string write_virtual_set(const std::filesystem::path& file) {
    const std::array<hsize_t, 2> half{3, 2};
    const std::array<hsize_t, 2> whole{6, 2};
    const hid_t source = H5Screate_simple(2, half.data(), nullptr);
    const hid_t space = H5Screate_simple(2, whole.data(), nullptr);
    Hdf5Writer writer(file, /*latest=*/true);
    const auto map_parts = [&](hid_t creation) {
        for (hsize_t part = 0; part < 2; ++part) {
            const auto name = "part-" + std::to_string(part) + ".hdf";
            Hdf5Writer(file.parent_path() / name)
                .add("/piece", {3, 2}, H5T_NATIVE_FLOAT, std::vector<float>(6, static_cast<float>(part + 1)));
            const std::array<hsize_t, 2> begin{3 * part, 0};
            H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, half.data(), nullptr);
            REQUIRE(H5Pset_virtual(creation, space, name.c_str(), "/piece", source) >= 0);
        }
    };
    writer.add("/inputs", {6, 2}, H5T_NATIVE_FLOAT, nullptr, {.settle = map_parts});
    H5Sclose(space);
    H5Sclose(source);
    writer.add("/targets", {6}, H5T_NATIVE_FLOAT, std::vector<float>{0, 1, 2, 3, 4, 5});
    return file.string() + ":/";
}

std::string write_numbered_set(const std::filesystem::path& file, const char* source_file, const char* data_set) {
    const hsize_t two = 2;
    const hsize_t zero = 0;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &two, &unlimited);
    const hid_t source = H5Screate_simple(1, &two, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, &two, &unlimited, &two);
    REQUIRE(H5Pset_virtual(creation, space, source_file, data_set, source) >= 0);
    H5Sselect_all(space);
    const Hdf5Writer writer(file, /*latest=*/true);
    H5Dclose(H5Dcreate2(writer.id(), "/inputs", H5T_NATIVE_INT16, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(source);
    H5Sclose(space);
    H5Pclose(creation);
    return file.string() + ":/";
}

std::string write_packed_set(const std::filesystem::path& file) {
    Hdf5Writer writer(file);
    writer.add("/inputs", {3, 2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2, -9999, 4, 5, 6});
    writer.attribute("/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.5});
    writer.attribute("/inputs", "add_offset", H5T_NATIVE_FLOAT, std::vector{10.0F});
    writer.attribute("/inputs", "_FillValue", H5T_NATIVE_INT16, std::vector<std::int16_t>{-9999});
    writer.attribute("/inputs", "valid_range", H5T_NATIVE_INT16, std::vector<std::int16_t>{0, 5});
    writer.add("/targets", {3}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{0, 1, 0});
    return file.string() + ":/";
}

std::string write_differently_packed_files(const std::filesystem::path& folder) {
    constexpr hsize_t rows = 5;
    for (int f = 0; f < 3; ++f) {
        const double scale = std::array{0.5, -0.25, 0.125}.at(static_cast<std::size_t>(f));
        const double offset = 100 * f - 7;
        std::vector<std::int16_t> stored;
        for (int i = 0; i < 10; ++i) {
            stored.push_back(static_cast<std::int16_t>((100 * f + 0.5 * (i % 2) + i / 2 - offset) / scale));
        }
        Hdf5Writer writer(folder / ("packed-" + std::to_string(f) + ".h5"));
        Layout layout;
        if (f > 0) {
            layout = {.chunk = {2, 2}, .deflate = f == 2};
            stored.back() = static_cast<std::int16_t>(-1000 - f);
        }
        writer.add("/inputs", {rows, 2}, H5T_NATIVE_INT16, stored, layout);
        writer.attribute("/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{scale});
        writer.attribute("/inputs", "add_offset", H5T_NATIVE_DOUBLE, std::vector{offset});
        if (f > 0) {
            writer.attribute("/inputs", "_FillValue", H5T_NATIVE_INT16, std::vector{stored.back()});
        }
        writer.add("/targets", {rows}, H5T_NATIVE_FLOAT, std::vector<float>{0, 1, 2, 3, 4});
    }
    return (folder / "packed-?.h5").string() + ":/";
}

void name_classes(const std::filesystem::path& file, const std::string& path, const std::vector<std::string>& names) {
    const datasets::hdf5::Session session;
    const auto opened = datasets::hdf5::open_file(file, datasets::hdf5::Access::write);
    const auto data_set = datasets::hdf5::open_data_set(opened.get(), path, file.string());
    datasets::hdf5::write_texts(data_set.get(), "classes", names, "the names of classes cannot be written");
}

void write_names(const std::filesystem::path& file) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    Hdf5Writer writer(file, /*latest=*/true);
    writer.add("/names", {2}, type, std::vector<const char*>{"one", "two"});
    for (int i = 0; i < 12; ++i) {
        writer.attribute("/names", ("attribute " + std::to_string(i)).c_str(), type, std::vector{"its text"});
    }
    H5Tclose(type);
}

std::string write_counting_set(const std::filesystem::path& file, std::int64_t num_samples, hsize_t chunk_samples,
                               bool deflate, std::int64_t first) {
    std::vector<std::int32_t> inputs;
    std::vector<std::uint16_t> targets;
    for (auto i = static_cast<std::int32_t>(first); i < first + num_samples; ++i) {
        inputs.insert(inputs.end(), {10 * i, 10 * i + 1, 10 * i + 2});
        targets.push_back(static_cast<std::uint16_t>(i));
    }
    Layout inputs_layout{.deflate = deflate};
    Layout targets_layout{.deflate = deflate};
    if (chunk_samples > 0) {
        inputs_layout.chunk = {chunk_samples, 3};
        targets_layout.chunk = {chunk_samples};
    }
    Hdf5Writer writer(file);
    const auto n = static_cast<hsize_t>(num_samples);
    writer.add("/train/inputs", {n, 3}, H5T_NATIVE_INT32, inputs, inputs_layout);
    writer.add("/train/targets", {n}, H5T_NATIVE_UINT16, targets, targets_layout);
    return file.string() + ":/train";
}

std::string write_counting_files(const std::filesystem::path& folder, const std::vector<std::int64_t>& num_samples,
                                 hsize_t chunk_samples) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < num_samples.size(); ++i) {
        const auto number = std::to_string(i);
        const auto file = folder / ("part-" + std::string(3 - number.size(), '0') + number + ".h5");
        write_counting_set(file, num_samples[i], i % 3 == 0 ? 0 : chunk_samples, i % 3 == 2, first);
        first += num_samples[i];
    }
    return (folder / "part-*.h5").string() + ":/train";
}

bool are_counting_samples(std::span<const std::int64_t> samples, std::span<const std::byte> inputs,
                          std::span<const std::byte> targets) {
    std::vector<std::int32_t> expected_inputs;
    std::vector<std::uint16_t> expected_targets;
    for (const auto sample : samples) {
        const auto ten = static_cast<std::int32_t>(10 * sample);
        expected_inputs.insert(expected_inputs.end(), {ten, ten + 1, ten + 2});
        expected_targets.push_back(static_cast<std::uint16_t>(sample));
    }
    const auto equal = [](std::span<const std::byte> got, const std::vector<std::byte>& expected) {
        return std::vector(got.begin(), got.end()) == expected;
    };
    return equal(inputs, bytes_of(expected_inputs)) && equal(targets, bytes_of(expected_targets));
}

bool reads_counting_samples(const datasets::SampleSet& set, std::int64_t begin, std::int64_t count) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(count));
    std::iota(samples.begin(), samples.end(), begin);
    std::vector<std::byte> inputs(static_cast<std::size_t>(count) * 12);
    std::vector<std::byte> targets(static_cast<std::size_t>(count) * 2);
    set.read(begin, count, inputs, targets);
    return are_counting_samples(samples, inputs, targets);
}

Content read_all(const datasets::SampleSet& set) {
    const auto n = static_cast<std::size_t>(set.size());
    Content content{std::vector<std::byte>(n * set.inputs().sample_bytes()),
                    std::vector<std::byte>(n * set.targets().sample_bytes())};
    set.read(0, set.size(), content.inputs, content.targets);
    return content;
}

doctest::String complaint_of(const std::function<void()>& function) {
    try {
        function();
    } catch (const InvalidInput& error) {
        return error.what();
    } catch (const DamagedFile& error) {
        return error.what();
    }
    return {};
}

doctest::String complaint_about(const std::string& location) {
    return complaint_of([&] { datasets::SampleSet::open(location); });
}

}  // namespace crescendo::tests
