#include "datasets/samples/set_file.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "datasets/hdf5/data_set_name.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/source_files.hpp"
#include "datasets/readers/unpacking_reader.hpp"
#include "datasets/samples/conversion.hpp"

namespace crescendo::datasets {
namespace {

/// Class names of an integer data set; empty if the file has none.
std::vector<std::string> classes_in(hid_t data_set, const Field& field, const std::string& name) {
    const bool may_count = !field.is_real() && field.shape.empty();
    return may_count ? hdf5::texts_of_attribute(
                           data_set, class_names_attribute,
                           text("{} has an attribute {} that cannot be read", name, class_names_attribute))
                     : std::vector<std::string>();
}

/// Throws InvalidInput, or DamagedFile, unless `data_set` has readable samples.
Field field_of(hid_t data_set, const std::string& path, const std::string& name) {
    const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto element = hdf5::element_type(type.get());
    CRESCENDO_VALIDATE(
        element.has_value(), "",
        "{} is of type {}, but samples are integers of 8 to 64 bits or floats of 16 to 64 bits; write {}", name,
        hdf5::type_name(type.get()),
        H5Tget_class(type.get()) == H5T_STRING
            ? "class numbers, as numpy.unique(names, return_inverse=True) returns them"
            : "its numbers to a separate data set, for example with h5py");

    const auto extent = hdf5::extent(data_set);
    CRESCENDO_VALIDATE(!extent.empty(), "", "{} is a scalar; its first axis must count the samples", name);
    CRESCENDO_VALIDATE(extent[0] > 0, "", "{} holds no samples; if you name several files, leave out empty ones", name);
    CRESCENDO_VALIDATE(hdf5::num_bytes(extent, *element, name) > 0, "",
                       "{} has samples without elements: one of its axes has length 0", name);

    const auto chunk = hdf5::chunk_shape(data_set);
    Field field{.path = path,
                .type = *element,
                .num_samples = extent[0],
                .shape = {extent.begin() + 1, extent.end()},
                .chunk_samples = chunk.empty() ? 0 : chunk[0],
                .packing = hdf5::packing_of(data_set, *element, name)};
    field.classes = classes_in(data_set, field, name);
    return field;
}

/// Crops the images of `rows`. Its shape must be that of the file.
void crop(Field& rows, const Crop& crop, SampleLayout layout, const std::string& name) {
    auto& part = rows.part;
    if (!part) {
        part = RowPart{.row = rows.shape};
        for (std::size_t axis = 0; axis < rows.shape.size(); ++axis) {
            part->ranges.push_back({0, rows.shape[axis]});
            part->axes.push_back(axis);
        }
    }
    const bool channels_last = layout == SampleLayout::hwc && rows.shape.size() >= 3;
    const auto first = rows.shape.size() - (channels_last ? 3 : 2);
    CRESCENDO_VALIDATE(
        crop.size.height <= rows.shape[first] && crop.size.width <= rows.shape[first + 1], "",
        "{} has images of {} x {}, too small to be cropped to {} x {}; crop to at most their size, or pad", name,
        rows.shape[first], rows.shape[first + 1], crop.size.height, crop.size.width);
    for (const auto& [axis, length] : {std::pair{first, crop.size.height}, {first + 1, crop.size.width}}) {
        auto& range = part->ranges[part->axes[axis]];
        range.begin += crop.from == CropFrom::center ? (rows.shape[axis] - length) / 2 : 0;
        range.end = range.begin + length;
        rows.shape[axis] = length;
    }
}

/// Names of the target data sets: those in the options, or none if the options have the default and the file has no
/// targets. A broken link does not count as a missing target, so that training does not silently go without.
std::vector<std::string> targets_in(hid_t file, const Location& place, const SetOptions& options) {
    if (options.targets != SetOptions().targets) {
        return options.targets;
    }
    const auto path = place.member(options.targets.front());
    const auto answer = H5Lexists(file, path.c_str(), H5P_DEFAULT);  // fails only if the group cannot be read
    hdf5::check(answer, text("{}:{} cannot be looked up", place.file.string(), path));
    return answer > 0 ? options.targets : std::vector<std::string>();
}

/// What may be wrong if the first axes of two data sets differ in length.
const char* hint_of_reversed_axes(const Field& one, const Field& other) {
    const bool last_are_equal = !one.shape.empty() && !other.shape.empty() && one.shape.back() == other.shape.back();
    return last_are_equal ? ". The first axis must count the samples. If the last one does, as in files from MATLAB "
                            "and Fortran, reverse the axes of the arrays"
                          : "";
}

/// Describes what must be the same in all files of a set: "int16, a row of 3 x 721 x 1440, packed". For measurements,
/// only that they are packed, as each file may have its own factors; for other numbers, such as classes, also which of
/// them mark missing values.
std::string description(const Field& rows) {
    std::string shape;
    for (const auto length : rows.shape) {
        shape += text("{}{}", shape.empty() ? ", a row of " : " x ", length);
    }
    const auto packing = is_floating(rows.type) || !rows.packing ? ""
                         : rows.packing->scaled                  ? ", packed"
                                                                 : ", " + to_string(*rows.packing);
    return to_string(rows.type) + shape + packing;
}

}  // namespace

Column::Column(hid_t file, const Location& place, const std::string& name, const SetOptions& options) {
    const auto named = DataSetName::parse(name);
    const auto path = place.member(named.name);
    name_ = place.file.string() + ":" + path;
    hdf5::naming(name_, [&] {
        const auto data_set = hdf5::open_data_set(file, path, place.file.string());
        rows_ = field_of(data_set.get(), path, name_);
        named.cut(rows_, name_);
        if (options.crop && rows_.shape.size() >= 2) {
            crop(rows_, *options.crop, options.layout, name_);
        }
        sources_ = source_files(data_set.get(), name_, options.missing_sources);
        is_compressed_ = !hdf5::filters(data_set.get()).empty() || !sources_.empty();
        if (auto linked = linked_file(data_set.get(), place.file)) {
            sources_.push_back(std::move(*linked));
        }
    });
}

void Column::unpack() {
    packed_ = rows_;
    rows_.type = unpacked_type(rows_.type);
    rows_.packing.reset();
}

void Column::expect_reads_of(std::int64_t rows, hid_t file, Routes allowed, std::shared_ptr<DecodeMemory> memory) {
    hdf5::naming(name_, [&] {
        auto& stored = packed_ ? *packed_ : rows_;
        reader_ = make_reader(file, stored, name_, rows, allowed, std::move(memory));
        if (packed_) {
            rows_.route = packed_->route;
            reader_ = std::make_unique<UnpackingReader>(std::move(reader_), packed_->type,
                                                        packed_->packing.value_or(Packing()));
        }
    });
}

std::unique_ptr<SetFile> SetFile::open(const Location& place, const SetOptions& options) {
    const hdf5::Session session;
    return hdf5::naming(place.file.string(), [&] { return std::unique_ptr<SetFile>(new SetFile(place, options)); });
}

SetFile::SetFile(const Location& place, const SetOptions& options)
    : place_(place),
      file_(hdf5::open_file(place.file, hdf5::Access::find)),
      version_(hdf5::descriptor(file_.get()), place.file) {
    hdf5::open_group(file_.get(), place.group, place.file.string());
    const auto targets = targets_in(file_.get(), place, options);
    for (const auto* names : {&options.inputs, &targets}) {
        for (const auto& name : *names) {
            columns_.emplace_back(file_.get(), place, name, options);
        }
    }
    for (const auto& column : columns_) {
        CRESCENDO_VALIDATE(column.rows().num_samples == num_rows(), "",
                           "{} holds {} samples but {} holds {}; every input needs a target{}", columns_.front().name(),
                           num_rows(), column.name(), column.rows().num_samples,
                           hint_of_reversed_axes(columns_.front().rows(), column.rows()));
    }
}

SetFile::~SetFile() {
    const hdf5::Session session;
    columns_.clear();
    file_.reset();
}

std::vector<std::int64_t> SetFile::listed_rows(const std::string& path) const {
    const hdf5::Session session;
    Column column(file_.get(), {place_.file, "/"}, path.substr(1), SetOptions());
    const auto& field = column.rows();
    CRESCENDO_VALIDATE(!field.is_real() && field.shape.empty(), "",
                       "{} does not list samples: it must be one axis of integers", column.name());
    column.expect_reads_of(field.num_samples, file_.get(), Routes::fastest, std::make_shared<DecodeMemory>());
    std::vector<std::byte> bytes(field.bytes_of(field.num_samples));
    column.reader().read(0, field.num_samples, bytes);
    std::vector<std::int64_t> list(static_cast<std::size_t>(field.num_samples));
    const bool complete = Conversion::to_int64(field).convert(bytes, reinterpret_cast<std::byte*>(list.data()));
    CRESCENDO_VALIDATE(complete, "", "{} lists numbers that its attributes mark as missing ({}); leave them out",
                       column.name(), to_string(*field.packing));
    std::sort(list.begin(), list.end());
    CRESCENDO_VALIDATE(list.front() >= 0 && list.back() < num_rows(), "",
                       "{} lists sample {}, but {} holds samples 0 to {}", column.name(),
                       list.front() < 0 ? list.front() : list.back(), columns_.front().rows().path, num_rows() - 1);
    const auto twice = std::adjacent_find(list.begin(), list.end());
    CRESCENDO_VALIDATE(twice == list.end(), "", "{} lists sample {} twice; an epoch has every sample once{}",
                       column.name(), *twice,
                       list.back() <= 1 ? ". For a mask of 0 and 1, numpy.flatnonzero returns the list" : "");
    return list;
}

void SetFile::expect_reads_of(std::int64_t rows, Routes allowed, const std::set<std::size_t>& unpacked,
                              const std::shared_ptr<DecodeMemory>& memory) {
    const hdf5::Session session;
    for (const auto column : unpacked) {
        columns_.at(column).unpack();
    }
    for (auto& column : columns_) {
        column.expect_reads_of(rows, file_.get(), allowed, memory);
    }
}

void expect_alike(const SetFile& file, const SetFile& first) {
    const bool more = file.columns().size() > first.columns().size();
    CRESCENDO_VALIDATE(file.columns().size() == first.columns().size(), "",
                       "{} has targets but {} does not; all files of a set must have the same data sets",
                       to_string((more ? file : first).place()), to_string((more ? first : file).place()));
    for (std::size_t i = 0; i < file.columns().size(); ++i) {
        const auto& here = file.columns()[i];
        const auto& there = first.columns()[i];
        CRESCENDO_VALIDATE(
            description(here.rows()) == description(there.rows()), "",
            "{} is {}, but {} is {}; the rows of all files of a set must be alike; name fewer files, or rewrite some",
            here.name(), description(here.rows()), there.name(), description(there.rows()));
    }
}

std::set<std::size_t> packed_differently(const SetFile& one, const SetFile& other) {
    const auto meaning = [](const Column& column) {
        const auto packing = column.rows().packing.value_or(Packing());
        return std::tuple(packing.wrap, packing.scale, packing.offset, packing.missing, packing.valid_min,
                          packing.valid_max);
    };
    std::set<std::size_t> columns;
    for (std::size_t i = 0; i < one.columns().size(); ++i) {
        if (meaning(one.columns()[i]) != meaning(other.columns()[i])) {
            columns.insert(i);
        }
    }
    return columns;
}

}  // namespace crescendo::datasets
