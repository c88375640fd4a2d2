#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/temporary_folder.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/samples.hpp"

namespace crescendo::trainer::test {

inline std::string content(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Data, terms and folders for one test, with 96 training samples and 20 validation samples.
struct SweepFixture {
    static constexpr std::int64_t num_samples = 96;

    tests::TemporaryFolder folder;
    std::string train = write_images(folder / "data.h5", "train", num_samples, /*seed=*/1);
    std::string validation = write_images(folder / "data.h5", "validation", 20, /*seed=*/2);

    SweepFixture() { std::filesystem::create_directory(record()); }

    Terms terms(const std::string& name) const {
        Terms terms;
        terms.settings = small_cnn(train, validation);
        terms.directory = folder / name;
        return terms;
    }

    /// The folder where recording trainers note their steps. They wait at the gate after step `gate_step`.
    std::filesystem::path record() const { return folder / "record"; }
    Environment recording(int gate_step = -1) const {
        return {{"TEST_RECORD", record().string()}, {"TEST_GATE", std::to_string(gate_step) + ":" + gate().string()}};
    }
    void open_gate() const { std::ofstream(gate()).put('\n'); }

  private:
    std::filesystem::path gate() const { return folder / "gate"; }
};

}  // namespace crescendo::trainer::test
