#include "trainer/checkpoint/plain_pickle.hpp"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <exception>

#include "core/files/durable_file.hpp"
#include "trainer/checkpoint/saved_tensors.hpp"

namespace crescendo::trainer {

namespace {

void pickle_plainly(const c10::IValue& value, const Sink& sink) {
    std::string pickled;
    torch::jit::Pickler pickler([&](const char* data, std::size_t size) { pickled.append(data, size); },
                                /*tensor_table=*/nullptr, /*type_renamer=*/nullptr, /*memoized_class_types=*/nullptr,
                                /*get_tensor_id=*/nullptr, /*tag_aggregates=*/false);
    pickler.protocol();
    pickler.pushIValue(value);
    pickler.stop();

    // The writer's destructor would end the process after a failed write, so failures are hidden from it and kept here.
    std::exception_ptr failure;
    const auto put = [&](const void* data, std::size_t size) {
        try {
            if (!failure) {
                sink({static_cast<const char*>(data), size});
            }
        } catch (...) {
            failure = std::current_exception();
        }
        return size;
    };
    caffe2::serialize::PyTorchStreamWriter writer(put);
    for (std::size_t i = 0; i < pickler.tensorData().size(); ++i) {
        const auto data = torch::jit::getWriteableTensorData(pickler.tensorData()[i]);
        writer.writeRecord("data/" + std::to_string(i), data.data(), data.sizeInBytes());
    }
    writer.writeRecord("data.pkl", pickled.data(), pickled.size());
    writer.writeEndOfFile();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace

void write_plainly(const std::filesystem::path& path, const c10::IValue& value) {
    replace_file(path, [&](const Sink& sink) { pickle_plainly(value, sink); });
}

c10::IValue unpickle(const std::filesystem::path& path) {
    caffe2::serialize::PyTorchStreamReader reader(path.string());
    require_whole_pickle(reader);
    return torch::jit::readArchiveAndTensors("data", /*pickle_prefix=*/"", /*tensor_prefix=*/"",
                                             /*type_resolver=*/std::nullopt, /*obj_loader=*/std::nullopt,
                                             /*device=*/std::nullopt, reader);
}

}  // namespace crescendo::trainer
