#include "datasets/writers/generate.hpp"

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/writers/new_group.hpp"

namespace crescendo::datasets {
namespace {

/// Makes a contiguous data set that is allocated in the file at once and never filled.
void add_holes(hid_t group, const char* name, const std::vector<hsize_t>& lengths) {
    const auto creation = hdf5::own(H5Pcreate(H5P_DATASET_CREATE), "no creation properties");
    hdf5::check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "no time of allocation");
    hdf5::check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "no time of filling");
    const auto space = hdf5::own(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr),
                                 text("no space for {} of {} axes", name, lengths.size()));
    hdf5::own(H5Dcreate2(group, name, H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
              text("the data set {} cannot be created", name))
        .close(text("the data set {} cannot be written", name));
}

}  // namespace

void generate_sparse(const std::string& location, std::int64_t num_samples, const std::vector<std::int64_t>& shape) {
    std::vector<hsize_t> lengths{static_cast<hsize_t>(num_samples)};
    lengths.insert(lengths.end(), shape.begin(), shape.end());
    std::int64_t bytes = sizeof(float);
    for (const auto length : lengths) {
        const auto count = static_cast<std::int64_t>(length);
        CRESCENDO_VALIDATE(count >= 1, "", "{} samples or elements along an axis; use at least 1", count);
        CRESCENDO_VALIDATE(!__builtin_mul_overflow(bytes, count, &bytes) && bytes <= std::int64_t{1} << 60, "",
                           "{} would hold more than 2^60 bytes", location);
    }

    NewGroup group(Location::parse(location));
    {
        const hdf5::Session session;
        add_holes(group.id(), "inputs", lengths);
        add_holes(group.id(), "targets", {lengths.front()});
    }
    group.publish();
}

}  // namespace crescendo::datasets
