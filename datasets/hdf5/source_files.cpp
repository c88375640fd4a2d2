#include "datasets/hdf5/source_files.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;

/// The text that `get(buffer, size)` writes. `get` is a function of the library and returns the length.
template <class Get>
std::string text_of(Get&& get) {
    const auto length = get(nullptr, 0);
    hdf5::check(length < 0 ? -1 : 0, "the name of a source cannot be read");
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    hdf5::check(get(text.data(), text.size()) < 0 ? -1 : 0, "the name of a source cannot be read");
    text.resize(static_cast<std::size_t>(length));
    return text;
}

/// Where the library looks for the source `name` of a data set in `file`, in its order (H5F_prefix_open_file).
std::vector<fs::path> places_of(const std::string& name, const fs::path& file) {
    constexpr std::string_view origin = "${ORIGIN}";
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
            if (prefix.starts_with(origin)) {
                prefix.replace(0, origin.size(), folder.string());
            }
            places.push_back(fs::path(prefix) / rest);
        }
    }
    std::error_code unresolved;
    places.push_back(folder / rest);
    places.push_back(rest);
    places.push_back(fs::canonical(file, unresolved).parent_path() / rest);
    return places;
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

/// "part-%b.h5" with `number` in the place of %b, as the library numbers the blocks of a data set that grows; %% is %.
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

/// One walk from a data set to all that it is made of.
class Walk {
  public:
    explicit Walk(MissingSources missing) : missing_(missing) {}

    void visit(hid_t data_set, const std::string& name) {
        const auto settings = hdf5::own(H5Dget_create_plist(data_set), text("{} has no properties", name));
        const auto file = hdf5::own(H5Iget_file_id(data_set), text("{} has no file", name));
        const fs::path path = text_of([&](char* out, std::size_t size) { return H5Fget_name(file.get(), out, size); });
        if (H5Pget_layout(settings.get()) == H5D_VIRTUAL) {
            visit_sources(settings.get(), file.get(), path, name);
        }
        for (int i = 0; i < H5Pget_external_count(settings.get()); ++i) {
            std::string bare(4096, '\0');
            off_t offset = 0;
            hsize_t size = 0;
            hdf5::check(
                H5Pget_external(settings.get(), static_cast<unsigned>(i), bare.size() - 1, bare.data(), &offset, &size),
                text("{}: the name of an external file cannot be read", name));
            if (fs::exists(bare.c_str())) {  // the library says where it is not
                files_.insert(fs::absolute(bare.c_str()));
            }
        }
    }

    std::vector<fs::path> files() const { return {files_.begin(), files_.end()}; }

  private:
    void visit_sources(hid_t settings, hid_t file, const fs::path& path, const std::string& name) {
        std::size_t count = 0;
        hdf5::check(H5Pget_virtual_count(settings, &count), text("the sources of {} cannot be read", name));
        std::map<std::string, std::set<std::string>> sources;  // data sets by file, "." being this one
        for (std::size_t i = 0; i < count; ++i) {
            auto source =
                text_of([&](char* out, std::size_t size) { return H5Pget_virtual_filename(settings, i, out, size); });
            sources[std::move(source)].insert(
                text_of([&](char* out, std::size_t size) { return H5Pget_virtual_dsetname(settings, i, out, size); }));
        }
        for (const auto& [source, data_sets] : sources) {
            if (is_numbered(source)) {
                for (std::size_t i = 0; const auto block = found(numbered(source, i), path); ++i) {
                    files_.insert(*block);
                }
                continue;
            }
            const auto at = source == "." ? std::optional(path) : found(numbered(source, 0), path);
            if (!at) {
                complain(name, source, text("there is no such file beside {}", path.string()));
                continue;
            }
            const auto opened = source == "." ? hdf5::Handle() : hdf5::open_file(*at, hdf5::Access::read);
            visit_file(source == "." ? file : opened.get(), *at, data_sets, name);
            if (source != ".") {
                files_.insert(*at);
            }
        }
    }

    void visit_file(hid_t file, const fs::path& path, const std::set<std::string>& data_sets, const std::string& name) {
        for (const auto& data_set : data_sets) {
            if (is_numbered(data_set) || !seen_.insert(path.string() + ":" + data_set).second) {
                continue;
            }
            const auto inside = (data_set.starts_with('/') ? "" : "/") + numbered(data_set, 0);
            if (!hdf5::exists(file, inside)) {
                complain(name, path.string() + ":" + inside, "there is no such data set");
                continue;
            }
            const auto opened = hdf5::open_data_set(file, inside, path.string());
            visit(opened.get(), path.string() + ":" + inside);
        }
    }

    void complain(const std::string& name, const std::string& source, const std::string& why) const {
        CRESCENDO_VALIDATE(missing_ == MissingSources::fill, "",
                           "{} is a virtual data set, and its source {} is missing: {}; put it back, or have the fill "
                           "value in place of its samples: `missing_sources: fill` in trainer.data, "
                           "--missing-sources fill for a data command",
                           name, source, why);
    }

    MissingSources missing_;
    std::set<fs::path> files_;
    std::set<std::string> seen_;  ///< a data set may be made of itself
};

}  // namespace

std::vector<fs::path> source_files(hid_t data_set, const std::string& name, MissingSources missing) {
    Walk walk(missing);
    walk.visit(data_set, name);
    return walk.files();
}

}  // namespace crescendo::datasets
