#include "tests/trainer/record.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "tests/await.hpp"

namespace crescendo::trainer::test {

namespace {

std::vector<nlohmann::json> all_lines(const std::filesystem::path& folder) {
    std::vector<nlohmann::json> lines;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(file.path());
        for (std::string line; std::getline(in, line);) {
            auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
            if (parsed.is_object()) lines.push_back(std::move(parsed));  // otherwise the line is still being written
        }
    }
    return lines;
}

}  // namespace

std::map<std::int64_t, std::vector<std::int64_t>> samples_by_epoch(const std::filesystem::path& folder) {
    std::map<std::int64_t, std::vector<std::int64_t>> by_epoch;
    for (const auto& line : all_lines(folder)) {
        auto& samples = by_epoch[line["epoch"]];
        const std::vector<std::int64_t> more = line["samples"];
        samples.insert(samples.end(), more.begin(), more.end());
    }
    for (auto& [epoch, samples] : by_epoch) std::sort(samples.begin(), samples.end());
    return by_epoch;
}

void await_step(const std::filesystem::path& folder, std::int64_t step, int num_members) {
    tests::await("step " + std::to_string(step), [&] {
        const auto lines = all_lines(folder);
        return std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return line["step"] == step; }) >=
               num_members;
    });
}

std::vector<std::int64_t> each_once(std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

}  // namespace crescendo::trainer::test
