#include "datasets/hdf5/attributes.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

TEST_CASE("the text of an attribute is read whatever its length is, and nothing of what is no text") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "a.h5");
        writer.add("/x", {1}, H5T_NATIVE_INT, std::vector{1});
        const hid_t fixed = H5Tcopy(H5T_C_S1);
        H5Tset_size(fixed, 5);
        const hid_t variable = H5Tcopy(H5T_C_S1);
        H5Tset_size(variable, H5T_VARIABLE);
        writer.attribute("/x", "fixed", fixed, std::vector<char>{'d', 'e', 'g', 0, 0});
        writer.attribute("/x", "variable", variable, std::vector{"degrees"});
        writer.attribute("/x", "two", variable, std::vector{"one", "two"});
        writer.attribute("/x", "number", H5T_NATIVE_INT, std::vector{7});
        H5Tclose(fixed);
        H5Tclose(variable);
    }
    const hdf5::Session session;
    const auto file = hdf5::open_file(folder / "a.h5", hdf5::Access::read);
    const auto data_set = hdf5::open_data_set(file.get(), "/x", "a.h5");
    const auto text_of = [&](const char* name) {
        return hdf5::text_of_attribute(data_set.get(), name, "no such text");
    };

    CHECK(text_of("fixed") == "deg");
    CHECK(text_of("variable") == "degrees");
    CHECK_FALSE(text_of("two"));
    CHECK_FALSE(text_of("number"));
    CHECK_THROWS_WITH_AS(text_of("missing"), doctest::Contains("no such text"), crescendo::DamagedFile);
}
