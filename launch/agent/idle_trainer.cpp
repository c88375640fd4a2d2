#include "launch/agent/idle_trainer.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/message_json.hpp"
#include "launch/agent/worker.hpp"
#include "launch/slots/gpus.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// The value of the first line "key : value" of a file of the system's; empty if there is none.
std::string value_in(const fs::path& file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
        if (line.starts_with(key) && value != std::string::npos) {
            return line.substr(value);
        }
    }
    return {};
}

std::string name_of_gpu() {
    std::error_code none;
    for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
        if (const auto model = value_in(gpu.path() / "information", "Model"); !model.empty()) {
            return model;
        }
    }
    return "GPU";
}

std::string name_of_cpu() {
    const auto model = value_in("/proc/cpuinfo", "model name");
    return model.empty() ? "CPU" : model;
}

}  // namespace

IdleTrainer::IdleTrainer(const Options& options) : options_(options) {
    const auto gpus = find_gpus();
    ProcessOptions process;
    process.command = {options_.program};
    process.directory = options_.directory;
    process.log = log_.path();
    process.environment = {{"OMP_NUM_THREADS", std::to_string(options_.threads)},
                           {"OMP_WAIT_POLICY", "passive"},
                           {protocol::threads_variable, std::to_string(options_.threads)},
                           {protocol::device_variable, gpus.empty() ? "cpu" : "cuda"}};
    if (!gpus.empty()) {
        choose_gpu(gpus.front().name, process.environment);
    }
    process_ = std::make_unique<ConnectedProcess>(process);
    await(protocol::Hello::name);
}

IdleTrainer::~IdleTrainer() = default;

Json IdleTrainer::ask(const Json& order, const std::string& answer_type) {
    process_->channel.send(order);
    return await(answer_type);
}

Json IdleTrainer::await(const std::string& type) {
    auto heard = Clock::now();
    for (;;) {
        std::vector<pollfd> descriptors;
        process_->watch(descriptors);
        ::poll(descriptors.data(), descriptors.size(), /*milliseconds=*/1000);
        const auto status = process_->process.try_wait();  // before the messages: the last ones are not to be missed
        for (const auto& line : process_->channel.receive()) {
            heard = Clock::now();
            const auto message = parse_line(line);
            const auto said = message.value("type", "");
            if (said == type) {
                return message;
            }
            if (said == protocol::Failed::name) {
                throw std::runtime_error(protocol::read<protocol::Failed>(message).message);
            }
        }
        process_->channel.flush();
        if (status) {
            throw std::runtime_error(fmt::format("{} ended: {}; its last words: {}", options_.program,
                                                 to_string(*status), last_words(log_.path())));
        }
        if (options_.patience && Clock::now() - heard >= *options_.patience) {
            process_->process.signal_group(SIGKILL);
            throw std::runtime_error(fmt::format("{}: {}", options_.program, no_progress_for(*options_.patience)));
        }
    }
}

std::string hardware_name() { return find_gpus().empty() ? name_of_cpu() : name_of_gpu(); }

}  // namespace crescendo::launch
