#include "trainer/checkpoint/checkpoint.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "core/check.hpp"
#include "core/files/file_descriptor.hpp"
#include "trainer/checkpoint/digest.hpp"
#include "trainer/checkpoint/plain_pickle.hpp"
#include "trainer/protocol/failure.hpp"

namespace crescendo::trainer {

using nlohmann::json;
using Tensors = c10::Dict<std::string, at::Tensor>;

namespace {

constexpr const char* digest_key = "digest";

at::Tensor copied(const at::Tensor& tensor) {
    return at::empty(tensor.sizes(), tensor.options().device(at::kCPU)).copy_(tensor.detach());
}

Tensors copied(const std::vector<NamedTensor>& tensors) {
    Tensors all;
    for (const auto& [name, tensor] : tensors) {
        all.insert(name, copied(tensor));
    }
    return all;
}

c10::Dict<std::string, Tensors> optimizer_state(const Trial& trial) {
    c10::Dict<std::string, Tensors> by_parameter;
    for (const auto& [parameter, name, tensor] : trial.optimizer().state()) {
        if (!by_parameter.contains(parameter)) {
            by_parameter.insert(parameter, Tensors());
        }
        by_parameter.at(parameter).insert(name, copied(tensor));
    }
    return by_parameter;
}

std::string words_of(const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    return of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
}

/// Throws std::runtime_error with the system's reason if the file cannot be read to its end.
void require_readable(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<char> buffer(std::size_t{1} << 20);
    ssize_t count = file ? 1 : -1;
    while (count > 0 || (count < 0 && errno == EINTR)) {
        count = ::read(file.get(), buffer.data(), buffer.size());
    }
    if (count < 0) {
        throw std::runtime_error(std::strerror(errno));
    }
}

/// Returns a file's content, checked against its digest. Checkpoints of older versions have no digest. A file that
/// cannot be read does not count as damaged, because its disk or server may recover.
c10::impl::GenericDict read_content(const std::filesystem::path& path) {
    try {
        auto content = unpickle(path).toGenericDict();
        if (const auto digest = content.find(digest_key); digest != content.end()) {
            const auto expected = digest->value().toInt();
            content.erase(digest);
            if (digest_of(content) != expected) {
                throw std::runtime_error("its content is not what was written");
            }
        }
        return content;
    } catch (const std::exception& error) {
        if (is_out_of_memory(describe_failure())) {
            throw;
        }
        require_readable(path);
        throw DamagedCheckpoint(text("the checkpoint {} is damaged: {}", path.string(), words_of(error)));
    }
}

void copy_into(at::Tensor tensor, const c10::IValue& saved) {
    const at::NoGradGuard no_gradients;
    const at::Tensor source = saved.toTensor();
    if (source.sizes() != tensor.sizes()) {
        throw std::runtime_error("it holds a model with different shapes");
    }
    tensor.copy_(source);
}

}  // namespace

c10::IValue checkpoint_of(const Trial& trial, const json& settings) {
    c10::impl::GenericDict content(c10::StringType::get(), c10::AnyType::get());
    content.insert("model", copied(trial.named_tensors()));
    if (const auto averages = trial.averages(); !averages.empty()) {
        content.insert("ema", copied(averages));
    }
    content.insert("optimizer", optimizer_state(trial));
    content.insert("optimizer_steps", trial.optimizer().num_steps());
    content.insert("progress", json(trial.full_progress()).dump());
    content.insert("task", json(trial.task()).dump());
    content.insert("settings", settings.dump());
    return content;
}

void write_checkpoint(const std::filesystem::path& path, const c10::IValue& checkpoint) {
    auto content = checkpoint.toGenericDict().copy();
    content.insert(digest_key, digest_of(checkpoint));
    write_plainly(path, content);
}

std::unique_ptr<Trial> read_checkpoint(const std::filesystem::path& path, std::int64_t number, std::uint64_t seed,
                                       const Settings& settings, const Device& device) try {
    const auto content = read_content(path);
    const auto parse = [&](const char* key) { return json::parse(content.at(key).toStringRef()); };
    auto trial =
        std::make_unique<Trial>(number, seed, settings, parse("task").get<Task>(), device, Trial::Weights::unfilled);

    const auto model = content.at("model").toGenericDict();
    for (const auto& [name, tensor] : trial->named_tensors()) {
        copy_into(tensor, model.at(name));
    }
    // If the checkpoint has no averages, they start from the weights. So does the average of a frozen parameter or of a
    // buffer, which earlier versions did not save.
    const auto averages = content.contains("ema") ? content.at("ema").toGenericDict() : model;
    for (const auto& [name, tensor] : trial->averages()) {
        copy_into(tensor, (averages.contains(name) ? averages : model).at(name));
    }
    trial->optimizer().reset(content.at("optimizer_steps").toInt());
    const auto optimizer = content.at("optimizer").toGenericDict();
    for (const auto& [parameter, name, tensor] : trial->optimizer().state()) {
        copy_into(tensor, optimizer.at(parameter).toGenericDict().at(name));
    }
    trial->restore(parse("progress").get<Progress>());
    return trial;
} catch (const DamagedCheckpoint&) {
    throw;
} catch (const std::exception& error) {
    if (is_out_of_memory(describe_failure())) {
        throw;
    }
    throw std::runtime_error(text("cannot use the checkpoint {}: {}", path.string(), words_of(error)));
}

void require_undamaged(const std::filesystem::path& path) { read_content(path); }

}  // namespace crescendo::trainer
