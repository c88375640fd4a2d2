#include "trainer/checkpoint/plain_pickle.hpp"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>

namespace crescendo::trainer {

std::string pickle_plainly(const c10::IValue& value) {
    std::string pickled;
    torch::jit::Pickler pickler([&](const char* data, std::size_t size) { pickled.append(data, size); },
                                /*tensor_table=*/nullptr, /*type_renamer=*/nullptr, /*memoized_class_types=*/nullptr,
                                /*get_tensor_id=*/nullptr, /*tag_aggregates=*/false);
    pickler.protocol();
    pickler.pushIValue(value);
    pickler.stop();

    std::string file;
    caffe2::serialize::PyTorchStreamWriter writer([&](const void* data, std::size_t size) {
        file.append(static_cast<const char*>(data), size);
        return size;
    });
    for (std::size_t i = 0; i < pickler.tensorData().size(); ++i) {
        const auto data = torch::jit::getWriteableTensorData(pickler.tensorData()[i]);
        writer.writeRecord("data/" + std::to_string(i), data.data(), data.sizeInBytes());
    }
    writer.writeRecord("data.pkl", pickled.data(), pickled.size());
    writer.writeEndOfFile();
    return file;
}

}  // namespace crescendo::trainer
