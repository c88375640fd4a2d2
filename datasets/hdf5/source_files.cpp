#include "datasets/hdf5/source_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/files/paths_in.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;

/// Returns the text that `get(buffer, size)` writes. `get` calls a function of the library, and returns the length.
template <class Get>
std::string text_of(Get&& get) {
    const auto length = get(nullptr, 0);
    hdf5::check(length < 0 ? -1 : 0, "the name of a source cannot be read");
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    hdf5::check(get(text.data(), text.size()) < 0 ? -1 : 0, "the name of a source cannot be read");
    text.resize(static_cast<std::size_t>(length));
    return text;
}

/// The file that contains an object, by the name under which the library opened it.
fs::path file_of(hid_t object, const std::string& name) {
    const auto file = hdf5::own(H5Iget_file_id(object), text("{} has no file", name));
    return text_of([&](char* out, std::size_t size) { return H5Fget_name(file.get(), out, size); });
}

/// `prefix`, with a leading ${ORIGIN} replaced by the folder of the HDF5 file.
std::string from_origin(std::string prefix, const fs::path& folder) {
    constexpr std::string_view origin = "${ORIGIN}";
    if (prefix.starts_with(origin)) {
        prefix.replace(0, origin.size(), folder.string());
    }
    return prefix;
}

/// Where the library looks for the source `name` of a data set in `file`, in its order (H5F_prefix_open_file).
std::vector<fs::path> places_of(const std::string& name, const fs::path& file) {
    std::vector<fs::path> places;
    fs::path rest = name;
    if (rest.is_absolute()) {
        places.push_back(rest);
        rest = rest.filename();
    }
    const auto folder = fs::absolute(file).parent_path();
    if (const char* prefixes = std::getenv("HDF5_VDS_PREFIX")) {
        std::istringstream list(prefixes);
        for (std::string prefix; std::getline(list, prefix, ':');) {
            places.push_back(fs::path(from_origin(prefix, folder)) / rest);
        }
    }
    std::error_code unresolved;
    places.push_back(folder / rest);
    places.push_back(rest);
    places.push_back(fs::canonical(file, unresolved).parent_path() / rest);
    return places;
}

/// Where the library looks for the external file `name` of a data set in `file`: in one place (H5D_build_file_prefix).
fs::path external_place(const fs::path& name, const fs::path& file) {
    const char* prefix = std::getenv("HDF5_EXTFILE_PREFIX");
    if (prefix == nullptr || std::string_view(prefix).empty() || std::string_view(prefix) == ".") {
        return name;
    }
    return fs::path(from_origin(prefix, fs::absolute(file).parent_path())) / name;  // `name` alone if it is absolute
}

std::optional<fs::path> found(const std::string& name, const fs::path& file) {
    for (const auto& place : places_of(name, file)) {
        std::error_code absent;
        if (fs::exists(place, absent)) {
            return fs::absolute(place);
        }
    }
    return std::nullopt;
}

/// "part-%b.h5" with `number` instead of %b, as the library numbers the blocks of a growing data set; %% is %.
std::string numbered(const std::string& pattern, std::size_t number) {
    std::string name;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const auto next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
        if (pattern[i] == '%' && (next == 'b' || next == '%')) {
            name += next == 'b' ? std::to_string(number) : "%";
            ++i;
        } else {
            name += pattern[i];
        }
    }
    return name;
}

bool is_numbered(const std::string& pattern) { return numbered(pattern, 0) != numbered(pattern, 1); }

/// The first existing file of `pattern` with a number above `missing`, in the places where the library looks.
std::optional<fs::path> later_than(std::size_t missing, const std::string& pattern, const fs::path& file) {
    std::optional<std::pair<std::size_t, fs::path>> first;
    for (const auto& place : places_of(pattern, file)) {
        const auto name = place.filename().string();
        const auto zero = numbered(name, 0);
        const auto one = numbered(name, 1);
        const auto at =
            static_cast<std::size_t>(std::mismatch(zero.begin(), zero.end(), one.begin()).first - zero.begin());
        for (const auto& path : paths_in(fs::absolute(place).parent_path())) {
            const auto other = path.filename().string();
            std::size_t number = 0;
            const auto* digits = other.data() + std::min(at, other.size());
            const bool has_number = std::from_chars(digits, other.data() + other.size(), number).ec == std::errc{};
            if (has_number && number > missing && numbered(name, number) == other &&
                (!first || number < first->first)) {
                first.emplace(number, path);
            }
        }
    }
    return first ? std::optional(first->second) : std::nullopt;
}

/// What a virtual data set takes from a source, in one or several parts.
struct Taken {
    std::vector<hsize_t> end = {};  ///< upper limits, exclusive, of the indices taken of each axis
    hsize_t elements = 0;           ///< number of elements taken, if the source is taken whole

    /// Adds part `index` of the virtual data set with these settings. An unlimited part takes what exists.
    void add(hid_t settings, std::size_t index) {
        const auto from = hdf5::own(H5Pget_virtual_srcspace(settings, index), "a source has no selection");
        if (H5Sget_select_type(from.get()) == H5S_SEL_ALL) {
            const auto to = hdf5::own(H5Pget_virtual_vspace(settings, index), "a source has no place");
            elements = std::max(elements, size_of_block(to.get()));
            return;
        }
        const auto rank = static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(from.get())));
        std::vector<hsize_t> first(rank);
        std::vector<hsize_t> last(rank);
        if (H5Sget_select_bounds(from.get(), first.data(), last.data()) >= 0) {
            end.resize(std::max(end.size(), rank));
            for (std::size_t axis = 0; axis < rank; ++axis) {
                end[axis] = std::max(end[axis], last[axis] == H5S_UNLIMITED ? 0 : last[axis] + 1);
            }
        }
    }

    bool is_within(const std::vector<std::int64_t>& extent) const {
        hsize_t held = 1;
        for (std::size_t axis = 0; axis < extent.size(); ++axis) {
            const auto length = static_cast<hsize_t>(extent[axis]);
            held *= length;
            if (end.size() == extent.size() && end[axis] > length) {
                return false;
            }
        }
        return elements <= held;
    }

  private:
    /// Number of elements in a selection; if it is unlimited, in one of its blocks.
    static hsize_t size_of_block(hid_t space) {
        const auto rank = static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space)));
        std::vector<hsize_t> start(rank), stride(rank), count(rank), block(rank);
        if (H5Sis_regular_hyperslab(space) <= 0 ||
            H5Sget_regular_hyperslab(space, start.data(), stride.data(), count.data(), block.data()) < 0) {
            return static_cast<hsize_t>(std::max<hssize_t>(0, H5Sget_select_npoints(space)));
        }
        hsize_t size = 1;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            size *= (count[axis] == H5S_UNLIMITED ? 1 : count[axis]) * (block[axis] == H5S_UNLIMITED ? 0 : block[axis]);
        }
        return size;
    }
};

std::string shape_of(const std::vector<std::int64_t>& extent) {
    std::string shape;
    for (const auto length : extent) {
        shape += text("{}{}", shape.empty() ? "" : " x ", length);
    }
    return shape;
}

/// The packing that a numeric data set's attributes describe; the default for other data sets.
Packing packing_in(hid_t data_set, const std::string& name) {
    const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto element = hdf5::element_type(type.get());
    return element ? hdf5::packing_of(data_set, *element, name).value_or(Packing()) : Packing();
}

/// Walks from a data set to everything that holds its elements.
class Walk {
  public:
    Walk(hid_t data_set, const std::string& name, MissingSources missing)
        : missing_(missing), name_(name), packing_(packing_in(data_set, name)) {
        visit(data_set, name);
    }

    std::vector<fs::path> files() const { return {files_.begin(), files_.end()}; }

  private:
    void visit(hid_t data_set, const std::string& name) {
        const auto settings = hdf5::own(H5Dget_create_plist(data_set), text("{} has no properties", name));
        const auto file = hdf5::own(H5Iget_file_id(data_set), text("{} has no file", name));
        const auto path = file_of(data_set, name);
        if (H5Pget_layout(settings.get()) == H5D_VIRTUAL) {
            visit_sources(settings.get(), file.get(), path, name);
        }
        if (H5Pget_external_count(settings.get()) > 0) {
            visit_external(data_set, settings.get(), path, name);
        }
    }

    void visit_external(hid_t data_set, hid_t settings, const fs::path& path, const std::string& name) {
        const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
        const auto element = hdf5::element_type(type.get());
        auto rest = element ? static_cast<hsize_t>(hdf5::num_bytes(hdf5::extent(data_set), *element, name)) : 0;
        for (int i = 0; i < H5Pget_external_count(settings); ++i) {
            std::string bare(4096, '\0');
            off_t offset = 0;
            hsize_t size = 0;
            hdf5::check(
                H5Pget_external(settings, static_cast<unsigned>(i), bare.size() - 1, bare.data(), &offset, &size),
                text("{}: the name of an external file cannot be read", name));
            const auto part = std::min(size, rest);  // the last file may be H5F_UNLIMITED
            rest -= part;
            const auto external = external_place(bare.c_str(), path);
            if (!fs::exists(external)) {  // the library itself reports a missing external file
                continue;
            }
            files_.insert(fs::absolute(external));
            const auto needed = static_cast<hsize_t>(offset) + part;
            std::error_code no_file;  // set for a pipe or a device
            const auto held = fs::file_size(external, no_file);
            if (!no_file && part > 0 && held < needed) {
                complain(text("{} keeps its numbers in {}, which has {} bytes instead of {}: it was truncated; put the "
                              "whole file there",
                              name, external.string(), held, needed),
                         "accept zeros in place of the rest");
            }
        }
    }

    void visit_sources(hid_t settings, hid_t file, const fs::path& path, const std::string& name) {
        std::size_t count = 0;
        hdf5::check(H5Pget_virtual_count(settings, &count), text("the sources of {} cannot be read", name));
        std::map<std::string, std::map<std::string, Taken>> sources;  // data sets by file; "." is this file
        for (std::size_t i = 0; i < count; ++i) {
            const auto source =
                text_of([&](char* out, std::size_t size) { return H5Pget_virtual_filename(settings, i, out, size); });
            const auto data_set =
                text_of([&](char* out, std::size_t size) { return H5Pget_virtual_dsetname(settings, i, out, size); });
            sources[source][data_set].add(settings, i);
        }
        for (const auto& [source, data_sets] : sources) {
            if (source == ".") {
                visit_file(file, path, data_sets, name);
            } else if (is_numbered(source)) {
                visit_numbered(source, path, data_sets, name);
            } else if (const auto at = found(numbered(source, 0), path)) {
                const auto opened = hdf5::open_file(*at, hdf5::Access::read);
                visit_file(opened.get(), *at, data_sets, name);
                files_.insert(*at);
            } else {
                complain_of_missing(name, source, text("there is no such file next to {}", path.string()));
            }
        }
    }

    /// The files of `source`, numbered from 0. The library reads them up to the first missing one.
    void visit_numbered(const std::string& source, const fs::path& path, const std::map<std::string, Taken>& data_sets,
                        const std::string& name) {
        std::size_t number = 0;
        for (; const auto block = found(numbered(source, number), path); ++number) {
            const auto opened = hdf5::open_file(*block, hdf5::Access::read);
            for (const auto& [data_set, taken] : data_sets) {
                visit_source(opened.get(), *block, numbered(data_set, number), taken, name);
            }
            files_.insert(*block);
        }
        if (const auto later = later_than(number, source, path)) {
            complain(
                text("{} is a virtual data set of numbered files, and {} is missing although {} exists; put it back",
                     name, numbered(source, number), later->string()),
                "accept only the samples before it");
        }
    }

    void visit_file(hid_t file, const fs::path& path, const std::map<std::string, Taken>& data_sets,
                    const std::string& name) {
        for (const auto& [data_set, taken] : data_sets) {
            if (!is_numbered(data_set)) {
                visit_source(file, path, numbered(data_set, 0), taken, name);
                continue;
            }
            std::size_t number = 0;
            for (; hdf5::exists(file, inside(numbered(data_set, number))); ++number) {
                visit_source(file, path, numbered(data_set, number), taken, name);
            }
            constexpr std::size_t longest_gap = 1000;
            for (auto later = number + 1; later < number + longest_gap; ++later) {
                if (hdf5::exists(file, inside(numbered(data_set, later)))) {
                    complain(text("{} is a virtual data set of numbered data sets, and {} of {} is missing although {} "
                                  "exists; put it back",
                                  name, numbered(data_set, number), path.string(), numbered(data_set, later)),
                             "accept only the samples before it");
                }
            }
        }
    }

    static std::string inside(const std::string& data_set) { return (data_set.starts_with('/') ? "" : "/") + data_set; }

    void visit_source(hid_t file, const fs::path& path, const std::string& data_set, const Taken& taken,
                      const std::string& name) {
        const auto full = path.string() + ":" + inside(data_set);
        if (!hdf5::exists(file, inside(data_set))) {
            complain_of_missing(name, full, "there is no such data set");
            return;
        }
        const auto opened = hdf5::open_data_set(file, inside(data_set), path.string());
        if (const auto extent = hdf5::extent(opened.get()); !taken.is_within(extent)) {
            const auto problem = text(
                "{} is a virtual data set that takes more from its source {} than the {} it has; complete the source, "
                "or recreate the virtual data set",
                name, full, shape_of(extent));
            // If the source is contiguous, the library would read whatever follows it in its file.
            CRESCENDO_VALIDATE(!hdf5::chunk_shape(opened.get()).empty(), "", "{}", problem);
            complain(problem, "accept the fill value in place of the rest");
        }
        if (seen_.insert(full).second) {
            if (const auto linked = linked_file(opened.get(), path)) {
                files_.insert(*linked);
            }
            expect_same_packing(opened.get(), full);
            visit(opened.get(), full);
        }
    }

    /// Throws if the source's attributes say more than ours: the library passes on a source's stored numbers, but not
    /// its attributes.
    void expect_same_packing(hid_t source, const std::string& full) const {
        const auto packing = packing_in(source, full);
        const auto said = to_string(packing_);
        CRESCENDO_VALIDATE(
            packing_.says_all_of(packing), "",
            "{} is a virtual data set whose attributes say about its numbers: {}. The attributes of its source {} say: "
            "{}. So its numbers would be misread; read the sources directly with a file pattern, such as "
            "'part-*.h5:/', or give the virtual data set the attributes that all its sources have",
            name_, said.empty() ? "nothing" : said, full, to_string(packing));
    }

    void complain_of_missing(const std::string& name, const std::string& source, const std::string& why) const {
        complain(text("{} is a virtual data set, and its source {} is missing: {}; put it back", name, source, why),
                 "accept the fill value in place of its samples");
    }

    void complain(const std::string& problem, const char* otherwise) const {
        CRESCENDO_VALIDATE(
            missing_ == MissingSources::fill, "",
            "{}, or {}, with `missing_sources: fill` in trainer.data or --missing-sources fill for a data command",
            problem, otherwise);
    }

    MissingSources missing_;
    std::string name_;  ///< name of the data set where the walk begins
    Packing packing_;   ///< packing of the data set where the walk begins
    std::set<fs::path> files_;
    std::set<std::string> seen_;  ///< guards against a data set that refers to itself
};

}  // namespace

std::vector<fs::path> source_files(hid_t data_set, const std::string& name, MissingSources missing) {
    return Walk(data_set, name, missing).files();
}

std::optional<fs::path> linked_file(hid_t data_set, const fs::path& opened) {
    const auto file = file_of(data_set, opened.string());
    std::error_code absent;
    return file == opened || fs::equivalent(file, opened, absent) ? std::nullopt : std::optional(fs::absolute(file));
}

}  // namespace crescendo::datasets
