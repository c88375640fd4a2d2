#include "datasets/writers/generate.hpp"

#include <filesystem>

#include "core/check.hpp"
#include "datasets/hdf5.hpp"
#include "datasets/location.hpp"
#include "datasets/writers/new_file.hpp"

namespace crescendo::datasets {
namespace {

/// A contiguous data set that has its place in the file at once and is never filled.
void add_holes(hid_t file, const std::string& path, const std::vector<hsize_t>& lengths) {
    const auto creation = hdf5::own(H5Pcreate(H5P_DATASET_CREATE), "no creation properties");
    hdf5::check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "no time of allocation");
    hdf5::check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "no time of filling");
    const auto link = hdf5::own(H5Pcreate(H5P_LINK_CREATE), "no link properties");
    hdf5::check(H5Pset_create_intermediate_group(link.get(), 1), "no intermediate groups");
    const auto space = hdf5::own(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr),
                                 text("no space for {} of {} axes", path, lengths.size()));
    hdf5::own(H5Dcreate2(file, path.c_str(), H5T_NATIVE_FLOAT, space.get(), link.get(), creation.get(), H5P_DEFAULT),
              text("the data set {} cannot be made", path));
}

}  // namespace

void generate_sparse(const std::string& location, std::int64_t num_samples, const std::vector<std::int64_t>& shape) {
    const auto place = Location::parse(location);
    std::vector<hsize_t> lengths{static_cast<hsize_t>(num_samples)};
    lengths.insert(lengths.end(), shape.begin(), shape.end());
    std::int64_t bytes = sizeof(float);
    for (const auto length : lengths) {
        const auto count = static_cast<std::int64_t>(length);
        CRESCENDO_VALIDATE(count >= 1, "", "{} samples or elements of an axis; use at least 1", count);
        CRESCENDO_VALIDATE(!__builtin_mul_overflow(bytes, count, &bytes) && bytes <= std::int64_t{1} << 60, "",
                           "{} would hold more than 2^60 bytes", location);
    }
    CRESCENDO_VALIDATE(!std::filesystem::exists(place.file), "", "{} exists already and is not overwritten",
                       place.file.string());

    const hdf5::Session session;
    NewFile target(place.file);
    {
        const auto file = hdf5::own(H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                                    text("{} cannot be made", target.temporary().string()));
        add_holes(file.get(), place.member("inputs"), lengths);
        add_holes(file.get(), place.member("targets"), {lengths.front()});
        hdf5::check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), text("{} cannot be written", place.file.string()));
    }
    target.publish();
}

}  // namespace crescendo::datasets
