#include "launch/export/export_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "launch/export/dated_sweep.hpp"
#include "launch/export/event_file.hpp"
#include "launch/json/value_json.hpp"

namespace crescendo::launch {
namespace {

// Field numbers from tensorboard/plugins/hparams/plugin_data.proto and api.proto, and of google.protobuf.Value.
namespace plugin_data {
constexpr int experiment = 2, session_start = 3, session_end = 4;
}
namespace experiment {
constexpr int time_created = 3, parameters = 4, metrics = 5, name = 6;
}
namespace parameter {
constexpr int name = 1, type = 4, discrete = 5, interval = 6;
enum Type { text = 1, boolean = 2, number = 3 };
}  // namespace parameter
namespace interval {
constexpr int min = 1, max = 2;
}
namespace metric {
constexpr int name = 1, tag = 2;
}
namespace session_start {
constexpr int parameters = 1, group = 4, date = 5;
}
namespace session_end {
constexpr int status = 1, date = 2;
enum Status { success = 1, failure = 2 };
}  // namespace session_end
namespace entry {
constexpr int key = 1, value = 2;
}
namespace any {
constexpr int number = 2, text = 3, boolean = 4;
}
constexpr int list_value = 1;

/// The type of a parameter in TensorBoard's tables, for its type in expressions.
parameter::Type type_for(Type type) {
    return type == Type::boolean                         ? parameter::boolean
           : type == Type::whole || type == Type::number ? parameter::number
                                                         : parameter::text;
}

Protobuf any_value(const Value& value, parameter::Type type) {
    const auto json = to_json(value);
    switch (type) {
        case parameter::number:
            return Protobuf().number(any::number, json.get<double>());
        case parameter::boolean:
            return Protobuf().integer(any::boolean, json.get<bool>() ? 1 : 0);
        case parameter::text:
            break;
    }
    return Protobuf().text(any::text, json.is_string() ? json.get<std::string>() : json.dump());
}

/// Adds the initial filter that TensorBoard shows for a parameter: a list of values, or a range.
struct AddDomain {
    Protobuf& info;
    parameter::Type type;

    void list(const std::vector<Value>& values) const {
        Protobuf domain;
        for (const auto& value : values) {
            domain.message(list_value, any_value(value, type));
        }
        info.message(parameter::discrete, domain);
    }
    void range(double min, double max) const {
        info.message(parameter::interval, Protobuf().number(interval::min, min).number(interval::max, max));
    }

    void operator()(const Categorical& each) const { list(each.values); }
    void operator()(const Constant& each) const { list({each.value}); }
    template <class T>
    void operator()(const T& each) const {
        if constexpr (requires { each.min; }) {
            range(static_cast<double>(each.min), static_cast<double>(each.max));
        }
    }
};

/// Parameters and their types, in the order of the sweep file. The types do not depend on the trials so far, because
/// TensorBoard does not read again what it has read.
using TypedParameters = std::vector<std::pair<const Parameter*, parameter::Type>>;
TypedParameters typed_parameters(const SearchSpace& space) {
    TypedParameters typed;
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
        typed.emplace_back(&space.parameters()[i], type_for(space.rules().type(i)));
    }
    return typed;
}

std::string file_name(double date) {
    return fmt::format("events.out.tfevents.{}.crescendo", static_cast<std::int64_t>(date));
}

/// The file of the whole sweep, which defines the columns of the HParams tab.
std::string experiment_file(const DatedSweep& dated, const TypedParameters& parameters, const std::string& name) {
    const auto& sweep = dated.history().sweep();
    Protobuf experiment;
    experiment.number(experiment::time_created, dated.date(0));
    for (const auto& [parameter, type] : parameters) {
        Protobuf info;
        info.text(parameter::name, parameter->name).integer(parameter::type, type);
        if (!parameter->is_derived()) {
            std::visit(AddDomain{info, type}, parameter->distribution);
        }
        experiment.message(experiment::parameters, info);
    }
    experiment.message(experiment::metrics,
                       Protobuf().message(metric::name, Protobuf().text(metric::tag, sweep.spec().metric)));
    experiment.text(experiment::name, name);
    EventFile file(dated.date(0));
    file.add_hparams(dated.date(0), "experiment", Protobuf().message(plugin_data::experiment, experiment));
    return file.bytes();
}

std::string trial_file(const DatedSweep& dated, const TypedParameters& parameters, const Trial& trial, double started) {
    Protobuf session;
    for (const auto& [name, value] : trial.config) {
        const auto found = std::ranges::find(parameters, name, [](const auto& each) { return each.first->name; });
        session.message(session_start::parameters,
                        Protobuf().text(entry::key, name).message(entry::value, any_value(value, found->second)));
    }
    session.text(session_start::group, std::to_string(trial.id.value)).number(session_start::date, started);
    EventFile file(started);
    file.add_hparams(started, "session_start_info", Protobuf().message(plugin_data::session_start, session));
    for (const auto& report : dated.history().of(trial.id).reports) {
        file.add_scalars(dated.date(report.time), report.resource.value, report.metrics);
    }
    if (const auto ended = dated.ended(trial.id)) {
        const auto status = trial.status == TrialStatus::failed ? session_end::failure : session_end::success;
        const auto end = Protobuf().integer(session_end::status, status).number(session_end::date, *ended);
        file.add_hparams(*ended, "session_end_info", Protobuf().message(plugin_data::session_end, end));
    }
    return file.bytes();
}

}  // namespace

Exported tensorboard_logs(const ExportRequest& request) {
    const DatedSweep dated(request.sweep.history);
    const auto parameters = typed_parameters(dated.history().sweep().spec().space);
    Exported exported{{{file_name(dated.date(0)), experiment_file(dated, parameters, request.sweep.file.name)}}};
    for (const auto& trial : dated.history().sweep().trials()) {
        if (const auto started = dated.started(trial.id)) {
            exported.files.emplace_back(fmt::format("{:06}/{}", trial.id.value, file_name(*started)),
                                        trial_file(dated, parameters, trial, *started));
        }
    }
    return exported;
}

}  // namespace crescendo::launch
