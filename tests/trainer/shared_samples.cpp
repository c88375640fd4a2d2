#include <doctest/doctest.h>

#include <vector>

#include "core/files/memory_file.hpp"
#include "core/trial_protocol.hpp"
#include "datasets/writers/rechunk.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/samples.hpp"
#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo;
using namespace crescendo::trainer::test;

namespace {

/// Three trials of one sweep, each on its own trainer, with a compressed set that exceeds a trainer's memory.
class ThreeTrials {
  public:
    explicit ThreeTrials(const Environment& environment) : crescendo(3, "crescendo-trainer", environment) {
        const auto plain = write_images(folder / "plain.h5", "train", 512, /*seed=*/1);
        const auto train = (folder / "data.h5").string() + ":/train";
        datasets::rechunk(plain, train, {.chunk_samples = 8, .compression = 1});
        for (int trial = 0; trial < 3; ++trial) {
            auto& terms = terms_.emplace_back();
            terms.settings = small_cnn(train);
            terms.settings["data"]["memory"] = "16KiB";
            terms.settings["data"]["shared_memory"] = "1MiB";
            terms.directory = folder / std::to_string(trial);
            terms.seed = static_cast<std::uint64_t>(10 + trial);
            terms.trial = trial;
            crescendo.join({trial}, "new", terms);
        }
    }

    /// The training losses of the next epoch.
    std::vector<double> losses(int num_trials = 3) {
        std::vector<double> losses;
        for (int trial = 0; trial < num_trials; ++trial) {
            losses.push_back(crescendo.await(trial, "report")["metrics"]["train_loss"].get<double>());
        }
        return losses;
    }

    void go_on(int num_trials = 3) {
        for (int trial = 0; trial < num_trials; ++trial) {
            crescendo.go_on({trial}, terms_[static_cast<std::size_t>(trial)]);
        }
    }

    std::int64_t num_reads() const { return crescendo.num_reads(0) + crescendo.num_reads(1); }

    tests::TemporaryFolder folder;
    FakeCrescendo crescendo;

  private:
    std::vector<Terms> terms_;
};

}  // namespace

TEST_CASE("trials on a node that share samples learn the same and read less, even if one of them dies") {
    const MemoryFile memory("test");
    ThreeTrials alone({});
    ThreeTrials together({{protocol::shared_memory_variable, memory.path().string()}});

    CHECK(together.losses() == alone.losses());
    for (auto* each : {&alone, &together}) {
        each->go_on();
        each->crescendo.kill(2);
    }
    CHECK(together.losses(2) == alone.losses(2));
    for (auto* each : {&alone, &together}) {
        each->go_on(2);
    }
    CHECK(together.losses(2) == alone.losses(2));
    CHECK(3 * together.num_reads() < 2 * alone.num_reads());
}

TEST_CASE("a trainer trains normally if memory cannot be shared") {
    ThreeTrials alone({});
    ThreeTrials nowhere(Environment{{protocol::shared_memory_variable, "/nonexistent/memory"}});

    CHECK(nowhere.losses() == alone.losses());
}
