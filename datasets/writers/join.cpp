#include "datasets/writers/join.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_pattern.hpp"
#include "datasets/system/task_pool.hpp"
#include "datasets/writers/hdf5_copy.hpp"
#include "datasets/writers/new_group.hpp"
#include "datasets/writers/sample_writer.hpp"

namespace crescendo::datasets {
namespace {

std::vector<Field> fields_of(const SampleSet& set) {
    std::vector<Field> fields(set.inputs().begin(), set.inputs().end());
    fields.insert(fields.end(), set.targets().begin(), set.targets().end());
    return fields;
}

/// A new data set, and a block of its rows.
struct JoinedColumn {
    Field field;
    std::vector<std::byte> block;
    std::unique_ptr<SampleWriter> writer;

    std::span<std::byte> rows(std::int64_t count) { return std::span(block).first(field.bytes_of(count)); }
};

/// Makes the data sets, with their attributes from `source`. Columns that the files pack by different factors are
/// written unpacked, without packing attributes.
std::vector<JoinedColumn> make_columns(hid_t group, const Location& source, const std::vector<Field>& fields,
                                       std::int64_t chunk, const WriteOptions& options) {
    const hdf5::Session session;
    const auto file = hdf5::open_file(source.file, hdf5::Access::read);
    std::vector<JoinedColumn> columns;
    for (const auto& field : fields) {
        const auto name = field.path.substr(source.member("").size());
        columns.push_back({field, {}, nullptr});
        const auto old = hdf5::open_data_set(file.get(), field.path, source.file.string());
        columns.back().writer = std::make_unique<SampleWriter>(
            group, name, hdf5::type_of_copy(old.get(), field.type),
            SampleWriter::Layout{field.num_samples, field.shape, chunk, options}, SampleWriter::Fill());
        hdf5::copy_attributes(old.get(), columns.back().writer->id());
        if (!field.packing) {
            hdf5::remove_packing(columns.back().writer->id());
        }
        if (!field.classes.empty()) {  // there may be more than in the first file
            hdf5::write_texts(columns.back().writer->id(), class_names_attribute, field.classes,
                              text("the class names of {} cannot be written", name));
        }
    }
    return columns;
}

/// Reads rows [begin, begin + count) of all data sets. Each thread takes stored chunks.
void read_columns(const SampleSet& set, std::int64_t begin, std::int64_t count, std::vector<JoinedColumn>& columns,
                  TaskPool& pool, const WriteOptions& options) {
    const auto first = set.chunks().chunk_of(begin);
    const auto last = set.chunks().chunk_of(begin + count - 1);
    pool.run(static_cast<std::size_t>(last - first + 1), [&](std::size_t i) {
        options.poll();
        const auto chunk = set.chunks().samples_of(first + static_cast<std::int64_t>(i));
        const auto from = std::max(chunk.begin, begin);
        const auto to = std::min(chunk.end, begin + count);
        std::vector<std::span<std::byte>> out;
        for (auto& [field, block, writer] : columns) {
            out.push_back(std::span(block).subspan(field.bytes_of(from - begin), field.bytes_of(to - from)));
        }
        set.read(from, to - from, out);
    });
}

}  // namespace

void join(const std::string& from, const std::string& to, const std::vector<std::string>& data_sets,
          const WriteOptions& options, std::int64_t memory, MissingSources missing) {
    const auto set = SampleSet::open(from, SetOptions::of(data_sets, missing));
    const auto fields = fields_of(*set);
    const auto total = set->size();
    std::size_t row_bytes = 0;
    std::size_t largest = 0;
    std::set<std::string> paths;
    for (const auto& field : fields) {
        CRESCENDO_VALIDATE(paths.insert(field.path).second, "",
                           "{} is named twice, but the copy has one data set of each name; copy one part of it, or "
                           "each to another group",
                           field.path);
        row_bytes += field.sample_bytes();
        largest = std::max(largest, field.sample_bytes());
    }
    const auto old_place = Location::parse(Selection::parse(from).group);
    const auto new_place = Location::parse(to);
    const auto files = files_named(old_place.file);
    for (const auto& file : files) {
        std::error_code absent;
        CRESCENDO_VALIDATE(!std::filesystem::equivalent(file, new_place.file, absent), "",
                           "{} is one of the files to read; write to another one", new_place.file.string());
    }
    const auto chunk = chunk_samples_for(options, total, largest);
    const auto block = std::max<std::int64_t>(1, memory / static_cast<std::int64_t>(row_bytes) / chunk) * chunk;

    NewGroup group(new_place, options.alignment);  // throws if there is no such folder
    if (options.compression == 0) {
        expect_room(new_place.file, total * static_cast<std::int64_t>(row_bytes), from);
    }
    {
        auto columns = make_columns(group.id(), {files.front(), old_place.group}, fields, chunk, options);
        for (auto& column : columns) {
            column.block.resize(column.field.bytes_of(std::min(block, total)));
        }
        TaskPool pool(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
        for (std::int64_t done = 0; done < total;) {
            const auto count = std::min(block, total - done);
            read_columns(*set, done, count, columns, pool, options);
            for (auto& column : columns) {
                column.writer->write(column.rows(count));
            }
            done += count;
            options.progress(done * static_cast<std::int64_t>(row_bytes), total * static_cast<std::int64_t>(row_bytes));
        }
        for (auto& column : columns) {
            column.writer->close();
        }
    }
    set->expect_unchanged();
    group.publish();
}

}  // namespace crescendo::datasets
