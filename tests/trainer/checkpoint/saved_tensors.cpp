#include "trainer/checkpoint/saved_tensors.hpp"

#include <ATen/ATen.h>

#include <cstdlib>
#include <fstream>

#include "core/random.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using crescendo::tests::TemporaryFolder;
using crescendo::trainer::test::content;

namespace {

bool written_by_python(const std::filesystem::path& file) {
    if (!std::filesystem::exists(TORCH_PYTHON)) {
        MESSAGE("skipped: no Python with torch at " TORCH_PYTHON);
        return false;
    }
    const std::string python = TORCH_PYTHON " " TEST_FOLDER "/checkpoint/save_odd.py ";
    REQUIRE(std::system((python + file.string()).c_str()) == 0);
    return true;
}

}  // namespace

TEST_CASE("tensors of any type, stride and nesting are read, and other checkpoint contents are skipped") {
    const TemporaryFolder folder;
    if (!written_by_python(folder / "odd.pt")) {
        return;
    }

    const SavedTensors saved = read_saved_tensors(folder / "odd.pt");

    CHECK(saved.tensors.size() == 1);
    CHECK(at::equal(saved.tensors.at("alone"), at::arange(3)));
    CHECK(at::equal(saved.dicts.at("late").tensors.at("other"), at::ones({2})));
    CHECK(saved.dicts.at("itself").dicts.contains("nested"));
    const auto& model = saved.dicts.at("nested").dicts.at("model").tensors;
    CHECK(model.size() == 6);
    CHECK(at::equal(model.at("columns"), at::arange(6, at::kFloat).view({2, 3}).t()));
    CHECK(at::equal(model.at("part"), at::arange(2, 5, at::kFloat)));
    CHECK(at::equal(model.at("parameter"), at::ones({2})));
    CHECK(at::equal(model.at("half"), at::full({2}, 1.5, at::kBFloat16)));
    CHECK(at::equal(model.at("number"), at::full({}, 7, at::kLong)));
    CHECK(at::equal(at::view_as_real(model.at("phase")), at::tensor({1.0F, 2.0F, 3.0F, -1.0F}).view({2, 2})));
}

TEST_CASE("a damaged file is refused or yields wrong numbers, but never crashes the process") {
    const TemporaryFolder folder;
    if (!written_by_python(folder / "odd.pt")) {
        return;
    }
    const std::string whole = content(folder / "odd.pt");
    crescendo::CounterRandom random(/*seed=*/1, /*stream=*/1);
    int num_refused = 0;

    for (int i = 0; i < 2000; ++i) {
        std::string bytes = whole;
        for (int change = 0; change < 4; ++change) {
            bytes[random.next() % bytes.size()] = static_cast<char>(random.next());
        }
        std::ofstream(folder / "damaged.pt", std::ios::binary) << bytes;
        try {
            read_saved_tensors(folder / "damaged.pt");
        } catch (const std::exception&) {
            ++num_refused;
        }
    }

    CHECK(num_refused > 200);
    CHECK(num_refused < 2000);
}
