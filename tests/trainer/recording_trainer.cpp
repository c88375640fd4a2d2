// A crescendo-trainer for tests that notes the samples of every step that it completes. It also has the model `normed`.
//
//   TEST_RECORD   folder: a file for each process, a line {"trial","epoch","step","samples","time"} for each step
//   TEST_PAUSE    milliseconds to wait after each step; none by default
//   TEST_NCCL     if set, groups are formed as on GPUs, over the fake NCCL
//   TEST_GATE     N:FILE: after step N, write FILE.reached and wait until FILE exists; orders sent meanwhile are obeyed
//                 right after step N

#include <ATen/Parallel.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/trial_protocol.hpp"
#include "tests/trainer/device/fake_nccl/fake_nccl_device.hpp"
#include "tests/trainer/normed_model.hpp"
#include "tests/trainer/test_device.hpp"
#include "trainer/session.hpp"

namespace {

using namespace crescendo;

void wait_at_gate(std::int64_t step) {
    const char* gate = std::getenv("TEST_GATE");
    if (!gate) return;
    const std::string words = gate;
    const auto colon = words.find(':');
    if (std::stoll(words.substr(0, colon)) != step) return;
    const std::string file = words.substr(colon + 1);
    std::ofstream(file + ".reached").put('\n');
    while (!std::filesystem::exists(file)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

std::chrono::milliseconds pause_after_step() {
    const char* pause = std::getenv("TEST_PAUSE");
    return std::chrono::milliseconds(pause ? std::atoi(pause) : 0);
}

/// Seconds since the epoch.
double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace

int main() {
    const std::filesystem::path folder = std::getenv("TEST_RECORD");
    std::ofstream record(folder / std::to_string(::getpid()));
    const auto pause = pause_after_step();
    ::signal(SIGPIPE, SIG_IGN);
    at::set_num_threads(1);
    const auto device =
        std::getenv("TEST_NCCL") ? trainer::test::make_fake_nccl_device() : trainer::test::make_test_device();
    trainer::ControlChannel channel(std::atoi(std::getenv(protocol::fd_variable)));
    trainer::Session::Options options;
    if (const char* seconds = std::getenv(protocol::group_timeout_variable)) {
        options.group_timeout = std::chrono::seconds(std::atoi(seconds));
    }
    options.catalogue = trainer::test::catalogue_with_normed();
    options.observer = [&](const trainer::Trial& trial, const datasets::Slice& slice) {
        const nlohmann::json line = {{"trial", trial.number()},
                                     {"epoch", trial.progress().epoch},
                                     {"step", trial.progress().step},
                                     {"samples", slice.samples},
                                     {"time", now()}};
        record << line.dump() << std::endl;
        std::this_thread::sleep_for(pause);
        wait_at_gate(trial.progress().step);
    };
    return trainer::Session(channel, *device, options).run();
}
