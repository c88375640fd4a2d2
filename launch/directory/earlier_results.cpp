#include "launch/directory/earlier_results.hpp"

#include <sstream>
#include <string>

#include "core/check.hpp"
#include "core/crc32.hpp"
#include "core/files/durable_file.hpp"
#include "launch/files/read_file.hpp"
#include "launch/json/value_json.hpp"
#include "scheduler/loss.hpp"

namespace crescendo::launch {
namespace {

OrderedJson json_of_result(const EarlierResult& result) {
    auto reports = OrderedJson::array();
    for (const auto& [resource, loss] : result.reports) {
        reports.push_back({resource.value, loss < worst_loss ? OrderedJson(loss) : OrderedJson(nullptr)});
    }
    return {{"config", launch::to_json(result.config)},
            {"reports", reports},
            {"has_lost", result.has_lost},
            {"is_complete", result.is_complete}};
}

EarlierResult result_from(const OrderedJson& json) {
    EarlierResult result;
    for (const auto& [name, value] : json.at("config").items()) {
        result.config.emplace_back(name, value_from_json(Json(value)));
    }
    for (const auto& report : json.at("reports")) {
        result.reports.push_back(
            {Resource{report.at(0)}, report.at(1).is_null() ? worst_loss : report.at(1).get<double>()});
    }
    result.has_lost = json.at("has_lost");
    result.is_complete = json.at("is_complete");
    return result;
}

}  // namespace

Json write_earlier_results(const std::filesystem::path& path, const std::vector<EarlierResult>& results) {
    std::string text;
    for (const auto& result : results) {
        text += one_line(json_of_result(result)) + "\n";
    }
    replace_file(path, text);
    return {{"crc32", crc32_text(text)}, {"results", results.size()}};
}

std::vector<EarlierResult> read_earlier_results(const std::filesystem::path& path, const Json& kept) {
    CRESCENDO_VALIDATE(is_there(path), "",
                       "{}: is missing, and the sampler's decisions depend on its results of earlier sweeps; restore "
                       "the file from a copy",
                       path.string());
    const auto text = read_regular_file(path);
    CRESCENDO_VALIDATE(kept.value("crc32", "") == crc32_text(text), "",
                       "{}: has changed since the sweep began, and the sampler's decisions depend on it; restore the "
                       "file",
                       path.string());
    std::vector<EarlierResult> results;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        results.push_back(result_from(OrderedJson::parse(line)));
    }
    return results;
}

}  // namespace crescendo::launch
