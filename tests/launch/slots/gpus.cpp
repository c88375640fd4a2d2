#include "launch/slots/gpus.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// The files of a node's GPU driver, in a folder.
struct Driver {
    void add(const std::string& address, int minor, int numa) const {
        namespace fs = std::filesystem;
        fs::create_directories(folder / "proc/driver/nvidia/gpus" / address);
        fs::create_directories(folder / "sys/bus/pci/devices" / address);
        fs::create_directories(folder / "dev");
        std::ofstream(folder / "proc/driver/nvidia/gpus" / address / "information")
            << "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-" << minor << "abc\nDevice Minor: \t " << minor << "\n";
        std::ofstream(folder / "sys/bus/pci/devices" / address / "numa_node") << numa << "\n";
        std::ofstream(folder / "dev" / ("nvidia" + std::to_string(minor)));
    }

    /// Stands in for a cgroup, which a test does not have: only root may open the device file.
    void deny(int minor) const {
        std::filesystem::permissions(folder / "dev" / ("nvidia" + std::to_string(minor)), std::filesystem::perms::none);
    }

    std::vector<Gpu> gpus(const std::map<std::string, std::string>& environment = {}) const {
        const auto variable = [&](const char* name) {
            const auto found = environment.find(name);
            return found != environment.end() ? found->second.c_str() : nullptr;
        };
        return find_gpus(variable, folder.path());
    }

    TemporaryFolder folder;
};

/// Root may open all files. While this exists, access() answers for another user, who may open the folder.
class NoSuperuser {
  public:
    explicit NoSuperuser(const TemporaryFolder& folder) {
        using std::filesystem::perms;
        std::filesystem::permissions(folder.path(), perms::all);
        if (before_ == 0) {
            for (const auto& entry : std::filesystem::directory_iterator(folder / "dev")) {
                if (entry.status().permissions() != perms::none) {
                    std::filesystem::permissions(entry.path(), perms::all);
                }
            }
            works_ = ::setreuid(4711, ::uid_t(-1)) == 0;
        }
        if (!works_) {
            MESSAGE("skipped: root may not become another user here");
        }
    }
    ~NoSuperuser() {
        if (before_ == 0) {
            [[maybe_unused]] const int back = ::setreuid(0, ::uid_t(-1));
        }
    }
    NoSuperuser(NoSuperuser&&) = delete;
    NoSuperuser& operator=(NoSuperuser&&) = delete;
    explicit operator bool() const { return works_; }

  private:
    ::uid_t before_ = ::getuid();
    bool works_ = true;
};

}  // namespace

TEST_CASE("a node without a driver has no GPU") { CHECK(Driver().gpus().empty()); }

TEST_CASE("GPUs are numbered in the order of their PCI addresses, and have the NUMA node that the system reports") {
    const Driver driver;
    driver.add("0000:b1:00.0", 1, 1);
    driver.add("0000:3b:00.0", 0, 0);
    driver.add("0000:d8:00.0", 2, -1);

    CHECK(driver.gpus() == std::vector<Gpu>{{"0", 0}, {"1", 1}, {"2", {}}});
}

TEST_CASE("the only GPU of a container has number 0") {
    const Driver driver;
    driver.add("0000:3b:00.0", 0, 0);
    driver.add("0000:b1:00.0", 1, 1);
    std::filesystem::remove(driver.folder / "dev/nvidia0");

    CHECK(driver.gpus() == std::vector<Gpu>{{"0", 1}});
}

TEST_CASE("a GPU does not count if the job's cgroup denies its device file") {
    const Driver driver;
    driver.add("0000:3b:00.0", 0, 0);
    driver.add("0000:b1:00.0", 1, 1);
    driver.deny(0);
    const NoSuperuser user(driver.folder);
    if (!user) {
        return;
    }

    CHECK(driver.gpus() == std::vector<Gpu>{{"0", 1}});
    CHECK(driver.gpus({{"CUDA_VISIBLE_DEVICES", "0"}}) == std::vector<Gpu>{{"0", 1}});

    std::filesystem::remove_all(driver.folder / "proc");
    CHECK(driver.gpus().size() == 1);
}

TEST_CASE("without /proc the numbered device files count as GPUs, but nvidiactl does not") {
    const Driver driver;
    std::filesystem::create_directories(driver.folder / "dev");
    for (const char* name : {"nvidia0", "nvidia10", "nvidiactl", "nvidia-uvm"}) {
        std::ofstream(driver.folder / "dev" / name);
    }

    CHECK(driver.gpus() == std::vector<Gpu>{{"0", {}}, {"1", {}}});
}

TEST_CASE("CUDA_VISIBLE_DEVICES chooses GPUs by number or UUID, and entries that CUDA ignores do not count") {
    const Driver driver;
    driver.add("0000:3b:00.0", 0, 0);
    driver.add("0000:b1:00.0", 1, 1);
    const auto visible = [&](const std::string& list) { return driver.gpus({{"CUDA_VISIBLE_DEVICES", list}}); };

    CHECK(visible("1,0") == std::vector<Gpu>{{"1", 1}, {"0", 0}});
    CHECK(visible("1, 0") == visible("1,0"));
    CHECK(visible("GPU-1ab") == std::vector<Gpu>{{"GPU-1ab", 1}});
    CHECK(visible("MIG-7") == std::vector<Gpu>{{"MIG-7", {}}});
    CHECK(visible("0,-1,1") == std::vector<Gpu>{{"0", 0}});
    CHECK(visible("").empty());
    CHECK(visible("NoDevFiles").empty());
}

TEST_CASE("Slurm's variables count if CUDA_VISIBLE_DEVICES is not set") {
    const Driver driver;

    CHECK(driver.gpus({{"SLURM_JOB_GPUS", "0,1"}, {"SLURM_STEP_GPUS", "1"}}) == std::vector<Gpu>{{"1", {}}});
    CHECK(driver.gpus({{"SLURM_JOB_GPUS", "0,1"}}).size() == 2);
    CHECK(driver.gpus({{"SLURM_JOB_GPUS", "0,1"}, {"CUDA_VISIBLE_DEVICES", "0"}}).size() == 1);
}

TEST_CASE("the AMD GPUs that ROCr leaves are numbered from 0, whatever numbers the node has for them") {
    const Driver driver;
    std::map<std::string, std::string> job{
        {"ROCR_VISIBLE_DEVICES", "0,1"}, {"SLURM_JOB_ID", "7"}, {"SLURM_STEP_GPUS", "4,5"}};

    CHECK(driver.gpus(job) == std::vector<Gpu>{{"0", {}}, {"1", {}}});
    job["ROCR_VISIBLE_DEVICES"] = "4,5";
    CHECK(driver.gpus(job) == std::vector<Gpu>{{"0", {}}, {"1", {}}});
    job["ROCR_VISIBLE_DEVICES"] = "";
    CHECK(driver.gpus(job).empty());
    job["CUDA_VISIBLE_DEVICES"] = "5";
    CHECK(driver.gpus(job) == std::vector<Gpu>{{"5", {}}});
}

TEST_CASE("a process numbers its GPUs by PCI address, as we do, unless the user wants another order") {
    using Environment = std::vector<std::pair<std::string, std::string>>;
    Environment environment;
    Environment ordered;

    choose_gpu("1", environment, [](const char*) -> const char* { return nullptr; });
    choose_gpu("1", ordered, [](const char*) -> const char* { return "FASTEST_FIRST"; });

    CHECK(environment == Environment{{"CUDA_VISIBLE_DEVICES", "1"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}});
    CHECK(ordered == Environment{{"CUDA_VISIBLE_DEVICES", "1"}});
}

TEST_CASE("a GPU whose number is too large for an integer has no known NUMA node") {
    const Driver driver;
    driver.add("0000:3b:00.0", 0, 0);
    const std::string number(30, '9');

    CHECK(driver.gpus({{"CUDA_VISIBLE_DEVICES", number}}) == std::vector<Gpu>{{number, {}}});
}
