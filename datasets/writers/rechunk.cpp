#include "datasets/writers/rechunk.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5_links.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/hdf5/source_files.hpp"
#include "datasets/readers/decode_memory.hpp"
#include "datasets/readers/sample_reader.hpp"
#include "datasets/system/file_version.hpp"
#include "datasets/system/own_process.hpp"
#include "datasets/system/page.hpp"
#include "datasets/system/task_pool.hpp"
#include "datasets/writers/hdf5_copy.hpp"
#include "datasets/writers/new_group.hpp"
#include "datasets/writers/sample_writer.hpp"

namespace crescendo::datasets {
namespace {

/// The data set `name` as samples; none if it has none, and is copied unchanged.
std::optional<Field> samples_of(hid_t data_set, const std::string& name) {
    const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto element = hdf5::element_type(type.get());
    const auto lengths = hdf5::extent(data_set);
    if (!element || lengths.empty() || std::any_of(lengths.begin(), lengths.end(), [](auto n) { return n < 1; })) {
        return std::nullopt;
    }
    hdf5::num_bytes(lengths, *element, name);  // throws for lengths of a damaged file
    const auto chunk = hdf5::chunk_shape(data_set);
    return Field{.path = name,
                 .type = *element,
                 .num_samples = lengths[0],
                 .shape = {lengths.begin() + 1, lengths.end()},
                 .chunk_samples = chunk.empty() ? 0 : chunk[0]};
}

/// Whether no sample was ever written: then all have the fill value, and take no space.
bool is_unwritten(hid_t data_set) {
    const auto settings = hdf5::own(H5Dget_create_plist(data_set), "no properties");
    const auto layout = H5Pget_layout(settings.get());
    H5D_space_status_t status{};
    hdf5::check(H5Dget_space_status(data_set, &status), "it is not known which of its samples are stored");
    return (layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS) && H5Pget_external_count(settings.get()) == 0 &&
           status == H5D_SPACE_STATUS_NOT_ALLOCATED;
}

/// Whether elements that were never written have no defined value, not even the fill value.
bool never_fills(hid_t creation) {
    H5D_fill_time_t time{};
    hdf5::check(H5Pget_fill_time(creation, &time), "its fill value cannot be read");
    int number = 0;  // in a damaged file it may not be a valid enumerator
    static_assert(sizeof number == sizeof time);
    std::memcpy(&number, &time, sizeof number);
    return number == H5D_FILL_TIME_NEVER;
}

/// The fill value of a numeric data set, if it defines one.
SampleWriter::Fill fill_of(hid_t data_set, ElementType element) {
    SampleWriter::Fill fill{hdf5::type_of_copy(data_set, element)};  // no number becomes one of an enumeration
    const auto settings = hdf5::own(H5Dget_create_plist(data_set), "no properties");
    H5D_fill_value_t defined{};
    hdf5::check(H5Pfill_value_defined(settings.get(), &defined), "its fill value cannot be read");
    if (defined == H5D_FILL_VALUE_USER_DEFINED && !never_fills(settings.get())) {
        fill.value.resize(size_of(element));
        hdf5::check(H5Pget_fill_value(settings.get(), fill.type.get(), fill.value.data()),
                    "its fill value cannot be read");
    }
    return fill;
}

/// Creation properties for a group like `old`. Those of `old` itself cannot be reused: they contain the place of its
/// links in its file.
hdf5::Handle group_settings(hid_t old) {
    const auto old_settings = hdf5::own(H5Gget_create_plist(old), "no properties of a group");
    auto settings = hdf5::own(H5Pcreate(H5P_GROUP_CREATE), "no properties of groups");
    unsigned order = 0;
    hdf5::check(H5Pget_link_creation_order(old_settings.get(), &order), "no order of links");
    hdf5::check(H5Pset_link_creation_order(settings.get(), order), "no order of links");
    return settings;
}

/// Owns objects with handles of the library, and closes them under a session.
struct DeleteUnderSession {
    template <class Object>
    void operator()(Object* object) const {
        const hdf5::Session session;
        delete object;
    }
};
template <class Object>
using UnderSession = std::unique_ptr<Object, DeleteUnderSession>;

/// A data set that must still be filled: the work that is left when the new group has everything except samples.
struct Job {
    hdf5::Handle from;  ///< the group of the data set
    Field field;        ///< its path is the name
    std::string name;   ///< for messages
    std::int64_t chunk_samples = 0;
    std::unique_ptr<SampleWriter> writer = nullptr;
    bool unwritten = false;                           ///< there are no samples to copy
    std::map<std::string, FileVersion> sources = {};  ///< the other files that hold its elements, by path

    std::int64_t bytes() const {
        return unwritten ? 0 : field.num_samples * static_cast<std::int64_t>(field.sample_bytes());
    }
};

/// Copies a tree of groups. Its data sets of samples are filled later.
class TreeCopy {
  public:
    /// `name` is the name of the group `from` in `file`.
    TreeCopy(hid_t from, hid_t to, std::filesystem::path file, std::string name, const WriteOptions& options,
             MissingSources missing)
        : root_(to), file_(std::move(file)), name_(std::move(name)), options_(options), missing_(missing) {
        copy_group(from, to, "");
    }

    std::vector<Job> jobs() && { return std::move(jobs_); }

  private:
    /// Bytes of the largest sample, by number of samples. Samples of a set are read together, so equally long data sets
    /// of a group get chunks of equally many samples.
    using Largest = std::map<std::int64_t, std::size_t>;

    static Largest largest_samples(hid_t group, const hdf5::Links& links) {
        Largest largest;
        for (const auto& [name, info] : links) {
            const hdf5::Handle object{info.type == H5L_TYPE_HARD ? H5Oopen(group, name.c_str(), H5P_DEFAULT) : -1};
            if (object.get() >= 0 && H5Iget_type(object.get()) == H5I_DATASET) {
                if (const auto samples = samples_of(object.get(), name)) {
                    auto& bytes = largest[samples->num_samples];
                    bytes = std::max(bytes, samples->sample_bytes());
                }
            }
        }
        return largest;
    }

    /// `path` is relative to the root of the copy and ends with '/', or is empty.
    void copy_group(hid_t from, hid_t to, const std::string& path) {
        const auto name_of_group = name_ + "/" + path;
        copies_.emplace(hdf5::identity(from), path.empty() ? "." : path);
        const auto links = hdf5::naming(name_of_group, [&] {
            hdf5::copy_attributes(from, to);
            return hdf5::links_of(from, H5_INDEX_CRT_ORDER);
        });
        const auto largest = hdf5::naming(name_of_group, [&] { return largest_samples(from, links); });
        for (const auto& [name, info] : links) {
            hdf5::naming(name_ + "/" + path + name, [&, &name = name, &info = info] {
                if (info.type == H5L_TYPE_HARD) {
                    copy_object(from, to, name, path, largest);
                } else {
                    hdf5::copy_link(from, to, name, info);
                }
            });
        }
    }

    void copy_object(hid_t from, hid_t to, const std::string& name, const std::string& path, const Largest& largest) {
        const auto object =
            hdf5::own(H5Oopen(from, name.c_str(), H5P_DEFAULT), text("{}/{} cannot be opened", name_, path + name));
        const auto [copy, is_new] = copies_.emplace(hdf5::identity(object.get()), path + name);
        if (!is_new) {
            hdf5::check(H5Lcreate_hard(root_, copy->second.c_str(), to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                        text("the link {} cannot be created", path + name));
            return;
        }
        const auto type = H5Iget_type(object.get());
        auto samples = type == H5I_DATASET ? samples_of(object.get(), name) : std::nullopt;
        if (type == H5I_GROUP) {
            const auto settings = group_settings(object.get());
            const auto group = hdf5::own(H5Gcreate2(to, name.c_str(), H5P_DEFAULT, settings.get(), H5P_DEFAULT),
                                         text("the group {} cannot be created", path + name));
            copy_group(object.get(), group.get(), path + name + "/");
        } else if (samples) {
            Job job{.from = again(from), .field = std::move(*samples), .name = name_ + "/" + path + name};
            for (const auto& source : source_files(object.get(), job.name, missing_)) {
                job.sources.try_emplace(source.string(), source);
            }
            if (const auto linked = linked_file(object.get(), file_)) {
                job.sources.try_emplace(linked->string(), *linked);
            }
            job.unwritten = is_unwritten(object.get());
            const auto known =
                largest.find(job.field.num_samples);  // absent if one name leads to two objects in a damaged file
            prepare(job, object.get(), to, known == largest.end() ? job.field.sample_bytes() : known->second);
            jobs_.push_back(std::move(job));
        } else {
            hdf5::copy_object(object.get(), to, name);
        }
    }

    void prepare(Job& job, hid_t old, hid_t to, std::size_t largest_sample) const {
        const auto& field = job.field;
        try {
            job.chunk_samples = chunk_samples_for(options_, field.num_samples, largest_sample);
        } catch (const InvalidInput& invalid) {
            throw InvalidInput(job.name + ": " + invalid.what());
        }
        job.writer = std::make_unique<SampleWriter>(
            to, field.path, hdf5::type_of_copy(old, field.type),
            SampleWriter::Layout{field.num_samples, field.shape, job.chunk_samples, options_},
            fill_of(old, field.type));
        hdf5::copy_attributes(old, job.writer->id());
    }

    static hdf5::Handle again(hid_t group) {
        hdf5::check(H5Iinc_ref(group), "a group cannot be kept open");
        return hdf5::Handle(group);
    }

    hid_t root_;
    std::filesystem::path file_;
    std::string name_;
    const WriteOptions& options_;
    MissingSources missing_;
    std::map<std::string, std::string> copies_;  ///< path of the copy by identity of the object
    std::vector<Job> jobs_;
};

/// Copies the samples.
class Mover {
  public:
    Mover(const WriteOptions& options, std::int64_t total, std::int64_t memory)
        : options_(options),
          total_(total),
          memory_(memory),
          pool_(std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

    void move(Job& job) {
        if (job.unwritten) {
            job.writer->close();
            return;
        }
        auto& field = job.field;
        const auto num_samples = block_samples(job);
        const auto reader = open(job, num_samples);
        const auto sample_bytes = static_cast<std::int64_t>(field.sample_bytes());
        for (std::int64_t begin = 0; begin < field.num_samples; begin += num_samples) {
            const auto count = std::min(num_samples, field.num_samples - begin);
            const auto samples = block(count * sample_bytes);
            read(*reader, field, begin, count, samples);
            job.writer->write(samples);
            done_ += count * sample_bytes;
            options_.progress(done_, total_);
        }
        job.writer->close();
    }

  private:
    /// A block has whole new chunks, and also whole old chunks if that does not make it too large.
    std::int64_t block_samples(const Job& job) const {
        const auto fit = std::max<std::int64_t>(1, memory_ / static_cast<std::int64_t>(job.field.sample_bytes()));
        const auto old = std::max<std::int64_t>(1, job.field.chunk_samples);
        std::int64_t both = 0;
        const bool overflows = __builtin_mul_overflow(old / std::gcd(old, job.chunk_samples), job.chunk_samples, &both);
        const auto unit = overflows || both > fit ? job.chunk_samples : both;
        return std::min(std::max<std::int64_t>(1, fit / unit) * unit, job.field.num_samples);
    }

    static UnderSession<SampleReader> open(Job& job, std::int64_t block) {
        const hdf5::Session session;
        auto reader =
            make_reader(job.from.get(), job.field, job.name, block, Routes::fastest, std::make_shared<DecodeMemory>());
        return UnderSession<SampleReader>(reader.release());
    }

    /// Several threads read. Each takes old chunks, and no two take the same one.
    void read(const SampleReader& reader, const Field& field, std::int64_t begin, std::int64_t count,
              std::span<std::byte> out) {
        const auto old = std::max<std::int64_t>(1, field.chunk_samples);
        const auto part = std::max(old, samples_per_block(field.sample_bytes()) / old * old);
        const auto first = begin / part;
        const auto last = (begin + count - 1) / part;
        pool_.run(static_cast<std::size_t>(last - first + 1), [&](std::size_t i) {
            options_.poll();
            const auto number = first + static_cast<std::int64_t>(i);
            const auto from = std::max(begin, number * part);
            const auto to = std::min(begin + count, (number + 1) * part);
            const auto bytes = field.sample_bytes();
            reader.read(from, to - from,
                        out.subspan(static_cast<std::size_t>(from - begin) * bytes,
                                    static_cast<std::size_t>(to - from) * bytes));
        });
    }

    std::span<std::byte> block(std::int64_t bytes) {
        const auto size = static_cast<std::size_t>(bytes);
        if (block_.size() < Page::needed_for(size)) {
            block_.resize(Page::needed_for(size));
        }
        return std::as_writable_bytes(std::span(block_)).first(size);
    }

    const WriteOptions& options_;
    std::int64_t total_;
    std::int64_t memory_;
    std::int64_t done_ = 0;
    TaskPool pool_;
    std::vector<Page> block_;
};

/// Owns handles, which must be closed under a session.
class SourceGroup {
  public:
    explicit SourceGroup(const Location& place) : SourceGroup(place, hdf5::Session()) {}
    ~SourceGroup() {
        const hdf5::Session session;
        group_.reset();
        file_.reset();
    }
    SourceGroup(const SourceGroup&) = delete;
    SourceGroup& operator=(const SourceGroup&) = delete;

    hid_t id() const { return group_.get(); }
    const FileVersion& version() const { return *version_; }

  private:
    SourceGroup(const Location& place, const hdf5::Session&) {
        file_ = hdf5::open_file(place.file, hdf5::Access::read);
        CRESCENDO_VALIDATE(hdf5::exists(file_.get(), place.group) || !place.group.ends_with(']'), "",
                           "{} has no group {}; to copy some rows of a group, also name its data sets, such as "
                           "--data-sets inputs,targets",
                           place.file.string(), place.group);
        group_ = hdf5::open_group(file_.get(), place.group, place.file.string());
        version_.emplace(hdf5::descriptor(file_.get()), place.file);
    }

    hdf5::Handle file_;
    hdf5::Handle group_;
    std::optional<FileVersion> version_;
};

UnderSession<std::vector<Job>> copy_tree(const SourceGroup& source, const NewGroup& target, const Location& place,
                                         const WriteOptions& options, MissingSources missing) {
    const hdf5::Session session;
    const auto name = place.file.string() + ":" + (place.is_root() ? "" : place.group);
    return UnderSession<std::vector<Job>>(
        new std::vector<Job>(TreeCopy(source.id(), target.id(), place.file, name, options, missing).jobs()));
}

}  // namespace

void rechunk(const std::string& from, const std::string& to, const WriteOptions& options, std::int64_t memory,
             MissingSources missing) {
    const auto old_place = Location::parse(from);
    const auto new_place = Location::parse(to);
    std::error_code absent;
    CRESCENDO_VALIDATE(!std::filesystem::equivalent(old_place.file, new_place.file, absent), "",
                       "{} is the file to read; write to another one, and move it here once it is complete",
                       new_place.file.string());
    const bool adds = std::filesystem::exists(new_place.file);
    const SourceGroup source(old_place);
    NewGroup target(new_place, options.alignment);
    now_reading(old_place.file.string() + (adds ? " or " + new_place.file.string() : ""));
    auto jobs = copy_tree(source, target, old_place, options, missing);
    std::int64_t total = 0;
    for (const auto& job : *jobs) {
        total += job.bytes();
    }
    if (options.compression == 0) {  // the compressed size is not known in advance
        expect_room(new_place.file, total, from);
    }
    Mover mover(options, total, memory);
    for (auto& job : *jobs) {
        mover.move(job);
    }
    source.version().expect_unchanged(from);
    for (const auto& job : *jobs) {
        for (const auto& [name, version] : job.sources) {
            version.expect_unchanged(name);
        }
    }
    jobs.reset();
    target.publish();
}

}  // namespace crescendo::datasets
