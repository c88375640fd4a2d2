#include "tests/trainer/checkpoints.hpp"

#include <doctest/doctest.h>
#include <torch/serialize.h>
#include <torch/types.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace crescendo::trainer::test {

namespace {

std::string file_bytes(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), {}};
}

nlohmann::json without_clock(nlohmann::json progress) {
    for (const char* clock : {"seconds", "evaluated"}) {
        REQUIRE(progress.erase(clock) == 1);
        REQUIRE(progress["report"].erase(clock) == 1);
    }
    return progress;
}

}  // namespace

Checkpoint load(const std::filesystem::path& file) {
    const std::string bytes = file_bytes(file);
    const auto content = torch::pickle_load({bytes.begin(), bytes.end()}).toGenericDict();
    Checkpoint checkpoint;
    for (const auto& entry : content.at("model").toGenericDict()) {
        checkpoint.model[entry.key().toStringRef()] = entry.value().toTensor();
    }
    for (const auto& parameter : content.at("optimizer").toGenericDict()) {
        for (const auto& state : parameter.value().toGenericDict()) {
            const std::string name = parameter.key().toStringRef() + "/" + state.key().toStringRef();
            checkpoint.optimizer[name] = state.value().toTensor();
        }
    }
    checkpoint.optimizer_steps = content.at("optimizer_steps").toInt();
    checkpoint.progress = nlohmann::json::parse(content.at("progress").toStringRef());
    return checkpoint;
}

bool same_state(const Checkpoint& a, const Checkpoint& b) {
    return same_bits(a.model, b.model) && same_bits(a.optimizer, b.optimizer) &&
           a.optimizer_steps == b.optimizer_steps && without_clock(a.progress) == without_clock(b.progress);
}

bool same_bits(const TensorMap& a, const TensorMap& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && at::equal(x.second, y.second); });
}

double largest_difference(const TensorMap& a, const TensorMap& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (const auto& [name, tensor] : a) {
        largest = std::max(largest, (tensor - b.at(name)).abs().max().item<double>());
    }
    return largest;
}

}  // namespace crescendo::trainer::test
