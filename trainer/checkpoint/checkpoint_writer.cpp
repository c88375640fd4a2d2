#include "trainer/checkpoint/checkpoint_writer.hpp"

#include <nlohmann/json.hpp>
#include <system_error>

#include "trainer/checkpoint/checkpoint.hpp"

namespace crescendo::trainer {

using std::chrono::steady_clock;

CheckpointWriter::CheckpointWriter(std::filesystem::path path, std::optional<std::chrono::seconds> every)
    : path_(std::move(path)), pace_(every, steady_clock::now()) {}

void CheckpointWriter::save(const Trial& trial, const nlohmann::json& settings) {
    finish();
    begin(trial, settings);
    finish();
}

void CheckpointWriter::save_if_due(const Trial& trial, const nlohmann::json& settings) {
    if (is_writing()) {
        return;
    }
    finish();
    if (pace_.is_due(steady_clock::now())) {
        begin(trial, settings);
    }
}

void CheckpointWriter::finish() {
    if (written_.valid()) {
        pace_.note_written(began_, written_.get());
    }
}

void CheckpointWriter::begin(const Trial& trial, const nlohmann::json& settings) {
    began_ = steady_clock::now();
    const auto write = [path = path_, checkpoint = checkpoint_of(trial, settings)] {
        write_checkpoint(path, checkpoint);
        return steady_clock::now();
    };
    try {
        written_ = std::async(std::launch::async, write);
    } catch (const std::system_error&) {  // no thread is available, so this one writes
        pace_.note_written(began_, write());
    }
}

bool CheckpointWriter::is_writing() const {
    return written_.valid() && written_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

}  // namespace crescendo::trainer
