#include "launch/sweep_file/check/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

#include "core/mapped.hpp"
#include "core/spelling.hpp"
#include "launch/files/read_file.hpp"
#include "launch/process/child_process.hpp"
#include "launch/process/shell.hpp"
#include "scheduler/samplers/any_sampler.hpp"

namespace crescendo::launch {
namespace {

/// A class of a plug-in.
struct PluginClass {
    std::string name;
    std::string kind;     ///< "sampler", "search space" or "stop rule"
    std::size_t library;  ///< index in `plugins`

    bool is_stop_rule() const { return kind == "stop rule"; }
};

/// Adds the classes of a library to `classes`. Returns why it is not a plug-in, or "". Loads it in another process,
/// because it may crash.
std::string read_classes(const std::string& host, const std::string& library, std::size_t index,
                         std::chrono::seconds patience, std::vector<PluginClass>& classes) {
    if (!is_there(library)) {
        return fmt::format(
            "there is no file '{}'; give a shared library's path relative to the folder where crescendo is started",
            library);
    }
    const auto listed = run_tool({host, "--list", library}, {.patience = patience, .errors = ToolErrors::shown});
    const auto answer = Json::parse(listed.output, nullptr, /*allow_exceptions=*/false);
    if (!listed.success() || !answer.is_object()) {
        return fmt::format("{} cannot be loaded: the process loading it ended ({})", library,
                           listed.errors.empty() ? to_string(ExitStatus{listed.code, 0}) : listed.errors);
    }
    if (answer.contains("problem")) {
        return fmt::format("{} is not a plug-in for this crescendo: {}", library, answer["problem"].get<std::string>());
    }
    for (const auto& part : answer.at("parts")) {
        classes.push_back({part.at("name"), part.at("kind"), index});
    }
    return {};
}

/// "the sampler climber and the stop rule plateau"
std::string describe_classes(const std::vector<PluginClass>& classes) {
    const auto texts = mapped(classes, [](const auto& each) { return fmt::format("the {} {}", each.kind, each.name); });
    return texts.empty() ? "nothing" : enumerate(texts, " and ");
}

/// What to write to use a class.
std::string use_of(const PluginClass& plugin_class) {
    return plugin_class.is_stop_rule() ? "stop_rule: " + plugin_class.name
                                       : fmt::format("sampler: {{type: {}}}", plugin_class.name);
}

class Check {
  public:
    Check(const SweepFile& file, const std::vector<PluginClass>& classes, Mistakes& mistakes)
        : file_(file), classes_(classes), mistakes_(mistakes), is_used_(file.plugins.size()) {}

    /// Checks that exactly one class has this name.
    void check_place(bool is_stop_rule, const std::string& name, const std::string& key) {
        std::vector<std::string> names;
        int count = 0;
        for (const auto& each : classes_) {
            if (each.is_stop_rule() == is_stop_rule) {
                names.push_back(each.name);
                if (each.name == name) {
                    ++count;
                    is_used_[each.library] = true;
                }
            }
        }
        if (count > 1) {
            mistakes_.add(key, fmt::format("{} names {} plug-in classes; give them different names", name, count));
        } else if (count == 0) {
            if (!is_stop_rule) {
                std::ranges::copy(sampler_names(), std::back_inserter(names));
            }
            mistakes_.add(key, fmt::format("{} is not a {}{}; the plug-ins have {}", name,
                                           is_stop_rule ? "plug-in stop rule" : "sampler", did_you_mean(name, names),
                                           describe_classes(classes_)));
        }
    }

    /// Checks that no class has the name of a sampler of Crescendo's: the name means Crescendo's, so the class would
    /// never be used.
    void check_own(const std::string& sampler) {
        for (const auto& each : classes_) {
            if (!each.is_stop_rule() && each.name == sampler) {
                mistakes_.add("sampler.type",
                              fmt::format("{} is both one of Crescendo's samplers and a {} in {}; rename the class",
                                          sampler, each.kind, file_.plugins[each.library]));
            }
        }
    }

    /// Checks that the file uses each library; an unused one is a mistake.
    void check_use() {
        for (std::size_t i = 0; i < is_used_.size(); ++i) {
            if (is_used_[i]) {
                continue;
            }
            std::vector<PluginClass> own;
            std::ranges::copy_if(classes_, std::back_inserter(own),
                                 [i](const PluginClass& each) { return each.library == i; });
            mistakes_.add(
                fmt::format("plugins[{}]", i),
                fmt::format("{} has {}, but the sweep file uses nothing from it; {}", file_.plugins[i],
                            describe_classes(own),
                            own.empty() ? "remove it" : fmt::format("write {}, or remove it", use_of(own.front()))));
        }
    }

  private:
    const SweepFile& file_;
    const std::vector<PluginClass>& classes_;
    Mistakes& mistakes_;
    std::vector<bool> is_used_;
};

}  // namespace

void check_plugins(const SweepFile& file, const std::string& host, Mistakes& mistakes) {
    if (file.plugins.empty() || mistakes.lie_in("plugins")) {
        return;
    }
    std::chrono::seconds patience{30};
    patience = std::max(patience, file.sampler ? file.sampler->deadline : patience);
    patience = std::max(patience, file.stop_rule ? file.stop_rule->deadline : patience);
    std::vector<PluginClass> classes;
    for (std::size_t i = 0; i < file.plugins.size(); ++i) {
        if (const auto problem = read_classes(host, file.plugins[i], i, patience, classes); !problem.empty()) {
            mistakes.add(fmt::format("plugins[{}]", i), problem);
        }
    }
    if (mistakes.lie_in("plugins")) {
        return;
    }
    Check check(file, classes, mistakes);
    if (file.sampler && !file.sampler->plugin.empty()) {
        check.check_place(/*is_stop_rule=*/false, file.sampler->plugin, "sampler.type");
    } else if (file.source.has("sampler.type")) {
        check.check_own(file.spec.sampler);
    }
    if (file.stop_rule) {
        check.check_place(/*is_stop_rule=*/true, file.stop_rule->type,
                          file.source.has("stop_rule.type") ? "stop_rule.type" : "stop_rule");
    }
    if (!mistakes.lie_in("sampler") && !mistakes.lie_in("stop_rule")) {
        check.check_use();
    }
}

}  // namespace crescendo::launch
