#include "launch/view/step_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/message_json.hpp"
#include "launch/display/number_text.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {
namespace {

using protocol::Profiled;

/// The parts of a step in their order: the trainer's names for them, and their descriptions.
constexpr std::array<std::pair<const char*, const char*>, 6> parts{{{"reading", "waiting for samples"},
                                                                    {"copy", "samples to the device"},
                                                                    {"forward", "forward"},
                                                                    {"backward", "backward"},
                                                                    {"reduction", "gradient exchange"},
                                                                    {"optimizer", "optimizer"}}};

double part(const Profiled& profile, const char* name) {
    const auto found = profile.parts.find(name);
    return found == profile.parts.end() ? 0.0 : found->second;
}

double sum_of_parts(const Profiled& profile) {
    double sum = 0.0;
    for (const auto& [name, title] : parts) {
        sum += part(profile, name);
    }
    return sum;
}

/// The time that shares refer to: the step, or the sum of its parts if that is more. The parts were measured one after
/// the other, and may overlap in training.
double whole(const Profiled& profile) { return std::max(profile.step, sum_of_parts(profile)); }

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// The time with three digits, and a unit that fits its size.
std::string time_text(double seconds) {
    return seconds < 1e-3  ? fmt::format("{:.3g} us", seconds * 1e6)
           : seconds < 1.0 ? fmt::format("{:.3g} ms", seconds * 1e3)
                           : fmt::format("{:.3g} s", seconds);
}

double speed(const Profiled& profile) { return profile.flop / profile.step; }

double epoch(const Profiled& profile) { return profile.step * static_cast<double>(profile.epoch_steps); }

std::string table_of_parts(const Profiled& profile) {
    Table table({"part of a step", "time", "share"});
    double rest = whole(profile);
    const auto add = [&](const char* title, double seconds) {
        table.add_row({title, time_text(seconds), percent(seconds / whole(profile))});
    };
    for (const auto& [name, title] : parts) {
        if (profile.parts.contains(name)) {
            add(title, part(profile, name));
            rest -= part(profile, name);
        }
    }
    add("everything else", rest > 1e-9 ? rest : 0.0);  // smaller differences come from rounding
    std::string text = table.print(Format::table);
    if (sum_of_parts(profile) > 1.2 * profile.step) {
        text += fmt::format(
            "Measured one after the other, the parts take {}. In training, a GPU does several at once, or replays all "
            "of them (CUDA graph). Without a GPU, other processes used the CPU meanwhile: measure for longer "
            "(--seconds).\n",
            time_text(sum_of_parts(profile)));
    }
    return text;
}

}  // namespace

std::string advice_of(const Profiled& profile, int num_workers) {
    const double reading = part(profile, "reading") / whole(profile);
    const double reduction = part(profile, "reduction") / whole(profile);
    const double optimizer = part(profile, "optimizer") / whole(profile);
    const double speed_share = speed(profile) / profile.matmul;
    const double evaluation = profile.evaluation.value_or(0.0);
    // The disk or the decoder is the bottleneck only if reading alone is slower than training.
    if (reading > 0.1 && profile.without_model > profile.without_data) {
        return fmt::format(
            "Reading limits this trial: a step's samples arrive in {}, but training on them takes only {}. Increase "
            "`data.threads`, raise `data.memory` until the data fits, or store it in other chunks or with less "
            "compression (`crescendo data rechunk`); `crescendo data bench` shows how fast the disk is.",
            time_text(profile.without_model), time_text(profile.without_data));
    }
    if (reading > 0.1) {
        return fmt::format(
            "Steps wait for samples {} of the time, although reading alone would keep up: reading and training share "
            "the cores. Give each slot more cores (`cpus_per_slot`), or raise `data.memory` until the data fits.",
            percent(reading));
    }
    if (reduction > 0.15) {
        return fmt::format(
            "The workers wait for each other and for the network {} of the time. A larger `batch_size` gives each of "
            "the {} more work between exchanges; growth stops where it gains nothing, unless `grow_when: always`.",
            percent(reduction), num_workers);
    }
    if (optimizer > 0.25) {
        return fmt::format(
            "The optimizer takes {} of a step, whatever the batch size. A larger `batch_size` means fewer steps; sgd "
            "reads and writes less than adam.",
            percent(optimizer));
    }
    if (evaluation > 0.3 * epoch(profile)) {
        return fmt::format(
            "An evaluation takes {}, an epoch of training {}. Evaluate fewer validation samples, or report every "
            "second epoch (`report: {{every: 2}}`).",
            time_text(evaluation), time_text(epoch(profile)));
    }
    if (speed_share < 0.25) {
        return fmt::format(
            "The processor is not the limit: a step reaches {} of its speed in matrix products. Many small operations "
            "are; a larger `batch_size` or a wider model adds more computation than time.",
            percent(speed_share));
    }
    return "The processor limits this trial, as it should: only more workers, a smaller model or lower precision "
           "(`precision`) make it faster.";
}

std::string profile_text(const Profiled& profile, int num_workers, Format format) {
    if (format == Format::json) {
        return in_lines(protocol::write<OrderedJson>(profile));
    }
    if (format == Format::csv) {
        Table table({"steps", "group_batch", "step", "without_data", "without_model", "evaluation", "checkpoint",
                     "flop", "matmul", "reading", "copy", "forward", "backward", "reduction", "optimizer"});
        std::vector<Cell> row{profile.steps,
                              profile.group_batch,
                              profile.step,
                              profile.without_data,
                              profile.without_model,
                              known_cell(profile.evaluation),
                              known_cell(profile.checkpoint),
                              profile.flop,
                              profile.matmul};
        for (const auto& [name, title] : parts) {
            row.emplace_back(part(profile, name));
        }
        table.add_row(std::move(row));
        return table.print(format);
    }
    std::string text = fmt::format("A step of {} samples on {} takes {}: {} samples/s. Mean of {} steps.\n\n{}\n",
                                   profile.group_batch, counted(num_workers, "worker"), time_text(profile.step),
                                   number_text(static_cast<double>(profile.group_batch) / profile.step), profile.steps,
                                   table_of_parts(profile));
    text += fmt::format("without reading:   {} a step\nwithout the model: {} a step\n", time_text(profile.without_data),
                        time_text(profile.without_model));
    text += fmt::format("an epoch:          {}, {} steps\n", time_text(epoch(profile)), profile.epoch_steps);
    if (profile.evaluation) {
        text += fmt::format("an evaluation:     {}\n", time_text(*profile.evaluation));
    }
    if (profile.checkpoint) {
        text += fmt::format("a checkpoint:      {}, during training\n", time_text(*profile.checkpoint));
    }
    text += fmt::format("speed:             {} GFLOP/s per worker, {} of what matrix products reach here ({})\n\n{}\n",
                        number_text(speed(profile) / 1e9, 3), percent(speed(profile) / profile.matmul),
                        number_text(profile.matmul / 1e9, 3), advice_of(profile, num_workers));
    return text;
}

}  // namespace crescendo::launch
