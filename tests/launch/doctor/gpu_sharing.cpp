#include "launch/doctor/examinations.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

Findings findings_of(const std::vector<Gpu>& gpus, const SlotPlan::Wishes& wishes, const std::string& pipes) {
    const Variables variables = [&](const char* name) {
        return std::string_view(name) == "CUDA_MPS_PIPE_DIRECTORY" ? pipes.c_str() : nullptr;
    };
    return examine_gpu_sharing(SlotPlan::make({gpus, cores_of("core:8 pu:1")}, wishes), wishes, variables);
}

const std::vector<Gpu> two_gpus{{"0", {}}, {"1", {}}};

}  // namespace

TEST_CASE("if workers share GPUs without MPS, the doctor gives the command that starts MPS") {
    const TemporaryFolder folder;

    const auto findings = findings_of(two_gpus, {.slots_per_gpu = 3}, folder.path());

    REQUIRE(findings.size() == 1);
    CHECK(findings[0].verdict == Verdict::warning);
    CHECK(findings[0].observation.starts_with("3 workers share a GPU in turns: "));
    CHECK(findings[0].remedy.find("nvidia-cuda-mps-control -d") != std::string::npos);
}

TEST_CASE("MPS is found by its pipe") {
    const TemporaryFolder folder;
    std::ofstream(folder / "control") << "";

    const auto findings = findings_of(two_gpus, {.slots = 3}, folder.path());

    REQUIRE(findings.size() == 1);
    CHECK(findings[0].verdict == Verdict::ok);
    CHECK(findings[0].observation.starts_with("2 workers share a GPU at the same time through NVIDIA's MPS"));
}

TEST_CASE("a node whose slots share no GPU needs no MPS, and a node without GPUs is not an error") {
    CHECK(findings_of(two_gpus, {}, "/nowhere").empty());
    CHECK(findings_of({}, {}, "/nowhere").empty());

    const auto findings = findings_of({}, {.slots_per_gpu = 2}, "/nowhere");

    REQUIRE(findings.size() == 1);
    CHECK(findings[0].verdict == Verdict::ok);
    CHECK(findings[0].observation.find("slots_per_gpu has no effect") != std::string::npos);
}
