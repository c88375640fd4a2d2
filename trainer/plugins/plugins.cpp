#include "trainer/plugins/plugins.hpp"

#include <algorithm>
#include <variant>

#include "core/check.hpp"
#include "trainer/plugins/library.hpp"
#include "trainer/plugins/options.hpp"
#include "trainer/plugins/plugin_loss.hpp"
#include "trainer/plugins/plugin_model.hpp"

namespace crescendo::trainer {

namespace {

/// The kind of a registration for messages: "model" or "loss".
const char* kind_of(const plugin::Registration& registration) {
    return std::holds_alternative<plugin::RegisteredModel>(registration) ? "model" : "loss";
}

template <class Spec>
bool has(const std::vector<Choice<Spec>>& table, const std::string& name) {
    return std::any_of(table.begin(), table.end(), [&](const Choice<Spec>& choice) { return name == choice.name; });
}

void add(Catalogue& catalogue, const plugin::RegisteredModel& model, const std::string& library) {
    catalogue.models.push_back({model.name.c_str(), [&model, library](Section& section) {
                                    return read_plugin_model(section, model, library);
                                }});
}

void add(Catalogue& catalogue, const plugin::RegisteredLoss& loss, const std::string& library) {
    catalogue.losses.push_back(
        {loss.name.c_str(), [&loss, library](Section& section) { return read_plugin_loss(section, loss, library); }});
}

}  // namespace

void add_plugin(const std::string& library, Catalogue& catalogue) {
    for (const auto& registration : load_library(library)) {
        std::visit(
            [&](const auto& registered) {
                const auto& [name, function, options] = registered;
                const auto mistake = mistake_of(options);
                CRESCENDO_VALIDATE(!name.empty() && function && mistake.empty(), "", "{}: the {} \"{}\": {}", library,
                                   kind_of(registration), name,
                                   name.empty() ? "a name is missing"
                                   : !function  ? "a function is missing"
                                                : mistake);
                CRESCENDO_VALIDATE(!has(catalogue.models, name) && !has(catalogue.losses, name) &&
                                       !loss_words.find(name) && !name.ends_with(".pt"),
                                   "", "{}: there is already a model or loss {}; give the {} another name", library,
                                   name, kind_of(registration));
                add(catalogue, registered, library);
            },
            registration);
    }
}

std::string list_plugin(const std::string& library) {
    std::string lines;
    for (const auto& registration : load_library(library)) {
        std::visit(
            [&](const auto& registered) {
                lines += text("{} {}\n", kind_of(registration), registered.name);
                for (const auto& option : registered.options) {
                    lines += text("  {}\n", describe(option));
                }
            },
            registration);
    }
    return lines;
}

}  // namespace crescendo::trainer
