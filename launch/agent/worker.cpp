#include "launch/agent/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/message_json.hpp"
#include "launch/messages/json.hpp"
#include "launch/slots/gpus.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/slots/topology.hpp"

namespace crescendo::launch {

FailureKind kind_of(const ExitStatus& status, OomKills& oom_kills) {
    const bool killed = status.code == 128 + SIGKILL;
    return killed && oom_kills.take() ? FailureKind::out_of_memory : FailureKind::crash;
}

void ConnectedProcess::watch(std::vector<pollfd>& descriptors) const {
    short events = channel.closed() ? 0 : POLLIN;
    if (channel.wants_to_write()) {
        events |= POLLOUT;
    }
    // A closed socket is always ready: watching it would turn the wait into a busy loop.
    if (!channel.closed()) {
        descriptors.push_back({process.socket().get(), events, 0});
    }
    descriptors.push_back({process.exit_descriptor().get(), POLLIN, 0});
}

void ConnectedProcess::await_end(std::chrono::milliseconds patience) const {
    pollfd ended{process.exit_descriptor().get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(patience.count()));
}

std::vector<std::string> guarded(const std::vector<std::string>& command, const WorkerOptions& options,
                                 std::chrono::milliseconds grace) {
    std::vector<std::string> result{options.guard, std::to_string(grace.count())};
    result.insert(result.end(), command.begin(), command.end());
    return result;
}

const SlotResources& resources_of(const WorkerOptions& options, SlotId slot) {
    return options.slots.at(static_cast<std::size_t>(slot.value - options.first_slot.value));
}

std::string device_name(const WorkerOptions& options, SlotId slot) {
    const auto& resources = resources_of(options, slot);
    if (!resources.gpu.empty()) {
        const auto shared = fmt::format(", which {} slots share", resources.slots_on_gpu);
        return fmt::format("GPU {} of {}{}", resources.gpu, host_name(), resources.slots_on_gpu > 1 ? shared : "");
    }
    return resources.cpus.empty() ? host_name() : fmt::format("cores {} of {}", list_text(resources.cpus), host_name());
}

std::vector<std::pair<std::string, std::string>> device_environment(const WorkerOptions& options, SlotId slot) {
    const auto& resources = resources_of(options, slot);
    std::vector<std::pair<std::string, std::string>> result{{"OMP_NUM_THREADS", std::to_string(resources.threads)}};
    if (!resources.gpu.empty()) {
        choose_gpu(resources.gpu, result);
    }
    if (resources.slots_on_gpu > 1) {
        result.emplace_back(protocol::gpu_share_variable, std::to_string(resources.slots_on_gpu));
    }
    const auto& interface = options.setup.interface;
    // NCCL takes a beginning of names, with which eth1 would be eth10 too, but for "=".
    for (const auto& [variable, value] :
         {std::pair("GLOO_SOCKET_IFNAME", interface), std::pair("NCCL_SOCKET_IFNAME", "=" + interface)}) {
        if (!interface.empty() && std::getenv(variable) == nullptr) {
            result.emplace_back(variable, value);
        }
    }
    return result;
}

namespace {

/// The start of a value, for messages.
std::string beginning_of(const Json& value) { return one_line(value).substr(0, 80); }

void require_report(const Json& message) {
    constexpr std::string_view remedy = R"(write reports like {"resource": 3, "metrics": {"val_loss": 0.31}})";
    const auto require = [&](bool holds, const std::string& problem) {
        if (!holds) {
            throw std::runtime_error(fmt::format("{}; {}", problem, remedy));
        }
    };
    for (const char* key : {"resource", "metrics"}) {
        require(message.contains(key), fmt::format("it has no \"{}\"", key));
    }
    const auto& resource = message.at("resource");
    constexpr double most = 9e15;  // whole numbers are exact up to here
    const bool is_whole = resource.is_number() && std::floor(resource.get<double>()) == resource.get<double>() &&
                          std::abs(resource.get<double>()) < most;
    require(is_whole, fmt::format("its \"resource\" is {}, and has to be a whole number: the epochs (say) so far",
                                  beginning_of(resource)));
    require(message.at("metrics").is_object(),
            fmt::format("its \"metrics\" is {}, and has to have numbers by name", beginning_of(message.at("metrics"))));
}

}  // namespace

std::string plain(const std::exception& error) {
    const std::string_view what = error.what();
    const auto end = what.starts_with("[json.exception") ? what.find("] ") : std::string_view::npos;
    return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

protocol::Report report_from(TrialId trial, const Json& message) {
    require_report(message);
    auto report = protocol::read<protocol::Report>(message, protocol::Report::content());
    for (const auto& [name, value] : message.at("metrics").items()) {
        if (!value.is_number() && !value.is_null()) {
            report.metrics.erase(name);
        }
    }
    report.trial = trial;
    for (auto* share : {&report.data_wait, &report.samples_left_out}) {
        if (*share) {
            *share = std::clamp(**share, 0.0, 1.0);
        }
    }
    for (auto* seconds : {&report.seconds, &report.evaluated}) {
        if (*seconds && (!std::isfinite(**seconds) || **seconds < 0)) {
            seconds->reset();  // no clock says that
        }
    }
    const auto keep_from = [](double least, std::optional<double>& measure) {
        if (measure && !(std::isfinite(*measure) && *measure >= least)) {
            measure.reset();
        }
    };
    keep_from(std::numeric_limits<double>::min(), report.step_seconds);
    keep_from(1, report.group_batch);
    keep_from(0, report.noise_scale);
    return report;
}

std::string no_progress_for(std::chrono::milliseconds silence) {
    return fmt::format("no progress for {} s", std::chrono::duration_cast<std::chrono::seconds>(silence).count());
}

std::string last_words(const std::string& log, std::uintmax_t begin) {
    constexpr std::streamoff most = 1000;
    std::error_code none;
    if (!std::filesystem::is_regular_file(log, none)) {  // to open a pipe could take for ever
        return {};
    }
    std::ifstream file(log, std::ios::binary | std::ios::ate);
    if (!file) {
        return {};
    }
    const std::streamoff size = file.tellg();
    const auto first = std::min(static_cast<std::streamoff>(begin), size);
    file.seekg(std::max(first, size - most));
    std::string tail(std::istreambuf_iterator<char>(file), {});
    if (size - first > most) {
        tail.erase(0, tail.find('\n') + 1);
    }
    while (!tail.empty() && std::isspace(static_cast<unsigned char>(tail.back()))) {
        tail.pop_back();
    }
    return tail;
}

std::string quoted(const std::string& last_words) {
    return last_words.empty() ? "it printed nothing" : "last words: " + last_words;
}

}  // namespace crescendo::launch
