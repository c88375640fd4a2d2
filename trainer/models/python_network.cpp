#include "trainer/models/python_network.hpp"

#include "core/files/durable_file.hpp"

namespace crescendo::trainer {

namespace {

/// A Python literal. Numbers, texts and lists are written as in JSON.
std::string literal(const nlohmann::ordered_json& value) {
    if (value.is_boolean()) {
        return value.get<bool>() ? "True" : "False";
    }
    return value.dump();
}

}  // namespace

std::string write_python_network(const std::filesystem::path& folder, const std::string& source,
                                 const std::string& name, const nlohmann::ordered_json& arguments) {
    std::string code = source + "\n\ndef make_model():\n" +
                       "    \"\"\"The network of the trial, with random weights.\"\"\"\n    return " + name + "(\n";
    for (const auto& [key, value] : arguments.items()) {
        code += "        " + key + "=" + literal(value) + ",\n";
    }
    code += "    )\n";
    replace_file(folder / "model.py", code);
    return "model.py";
}

}  // namespace crescendo::trainer
