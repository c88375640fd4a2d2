#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.hpp"
#include "trainer/device/nccl/nccl_library.hpp"

namespace crescendo::trainer::test {

/// The library's file, in the folder of the test program.
inline std::string fake_nccl() {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libfake_nccl.so").string();
}

inline const NcclLibrary& fake_library() {
    static const NcclLibrary library(fake_nccl());
    return library;
}

inline nccl::UniqueId new_id() {
    nccl::UniqueId id{};
    fake_library().get_unique_id(&id);
    return id;
}

/// A member's device adds a line to this file whenever all collectives that it requested have finished.
inline std::filesystem::path finished_file(const std::filesystem::path& folder, int rank) {
    return folder / ("finished." + std::to_string(rank));
}

/// Tells the fake NCCL in this process what should go wrong; fake_nccl.cpp describes how.
class FakeNcclOrders {
  public:
    FakeNcclOrders() { ::setenv("FAKE_NCCL", path().c_str(), /*overwrite=*/1); }
    FakeNcclOrders(const FakeNcclOrders&) = delete;
    FakeNcclOrders& operator=(const FakeNcclOrders&) = delete;
    ~FakeNcclOrders() { ::unsetenv("FAKE_NCCL"); }

    void tell(const std::string& call, const std::string& order) const {
        std::ofstream(folder_ / (call + ".part")) << order;
        std::filesystem::rename(folder_ / (call + ".part"), folder_ / call);  // so that readers never see half of it
    }
    void revoke(const std::string& call) const { std::filesystem::remove(folder_ / call); }

    /// How often any member has formed a communicator.
    int num_formed() const { return num_lines("formed"); }

    /// How often any member has begun to end one.
    int num_ending() const { return num_lines("ending"); }

    std::string path() const { return folder_ / ""; }

  private:
    int num_lines(const char* file) const {
        int count = 0;
        std::ifstream lines(folder_ / file);
        for (std::string line; std::getline(lines, line);) {
            ++count;
        }
        return count;
    }

    tests::TemporaryFolder folder_;
};

}  // namespace crescendo::trainer::test
