#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/crescendo/plugin.hpp"

namespace crescendo::plugin {

using Message = nlohmann::ordered_json;

/// Converts messages of docs/sampler-protocol.md to the structs of the C interface. The structs point into this object,
/// and are valid as long as it lives.
class Structs {
  public:
    crescendo_search search(const Message& begin);
    crescendo_trial trial(const Message& tell);

    /// The entries of a JSON object; no entries if `object` is not an object.
    crescendo_entries entries(const Message& object);

  private:
    const char* keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }
    crescendo_value value(const Message& json);
    crescendo_parameter parameter(const std::string& name, const Message& json);

    std::deque<std::string> texts_;
    std::deque<std::vector<crescendo_entry>> entries_;
    std::deque<std::vector<crescendo_value>> values_;
    std::deque<std::vector<double>> numbers_;
    std::deque<std::vector<const char*>> lists_;
    std::deque<std::vector<crescendo_parameter>> parameters_;
};

/// Converts a value of the C interface to JSON. Throws std::runtime_error with the value and what is wrong if JSON
/// cannot express it.
Message to_json(const crescendo_value& value);

}  // namespace crescendo::plugin
