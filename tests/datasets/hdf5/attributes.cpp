#include "datasets/hdf5/attributes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

TEST_CASE("string attributes of fixed and variable length are read, and other attributes have no text") {
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

TEST_CASE("a list of strings is read from an attribute, and another list replaces it") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "a.h5");
        writer.add("/x", {1}, H5T_NATIVE_INT, std::vector{1});
        const hid_t fixed = H5Tcopy(H5T_C_S1);
        H5Tset_size(fixed, 3);
        writer.attribute("/x", "fixed", fixed, std::vector<char>{'c', 'a', 't', 'o', 'x', 0});
        writer.attribute("/x", "one", fixed, std::vector<char>{'c', 'a', 't'});
        writer.attribute("/x", "numbers", H5T_NATIVE_INT, std::vector{7, 8});
        H5Tclose(fixed);
    }
    const hdf5::Session session;
    const auto file = hdf5::open_file(folder / "a.h5", hdf5::Access::write);
    const auto data_set = hdf5::open_data_set(file.get(), "/x", "a.h5");
    using Texts = std::vector<std::string>;
    const auto texts_of = [&](const char* name) {
        return hdf5::texts_of_attribute(data_set.get(), name, "no such texts");
    };

    CHECK(texts_of("fixed") == Texts{"cat", "ox"});
    CHECK(texts_of("one") == Texts{});  // not a list
    CHECK(texts_of("numbers") == Texts{});
    CHECK(texts_of("missing") == Texts{});
    hdf5::write_texts(data_set.get(), "fixed", {"horse", "", "dog"}, "not written");
    CHECK(texts_of("fixed") == Texts{"horse", "", "dog"});
}
