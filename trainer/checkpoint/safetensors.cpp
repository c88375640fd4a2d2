#include "trainer/checkpoint/safetensors.hpp"

#include <ATen/ATen.h>

#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"

namespace crescendo::trainer {

namespace {

const char* type_of(const NamedTensor& named) {
    switch (named.tensor.scalar_type()) {
        case at::kFloat:
            return "F32";
        case at::kDouble:
            return "F64";
        case at::kHalf:
            return "F16";
        case at::kBFloat16:
            return "BF16";
        case at::kLong:
            return "I64";
        case at::kInt:
            return "I32";
        case at::kShort:
            return "I16";
        case at::kChar:
            return "I8";
        case at::kByte:
            return "U8";
        case at::kBool:
            return "BOOL";
        default:
            throw std::runtime_error(text("{} is {}, which safetensors cannot hold", named.name,
                                          c10::toString(named.tensor.scalar_type())));
    }
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors) {
    static_assert(std::endian::native == std::endian::little);
    nlohmann::ordered_json header{{"__metadata__", {{"format", "pt"}}}};
    std::uint64_t end = 0;
    for (const auto& named : tensors) {
        const std::uint64_t begin = end;
        end += named.tensor.nbytes();
        header[named.name] = {
            {"dtype", type_of(named)}, {"shape", named.tensor.sizes().vec()}, {"data_offsets", {begin, end}}};
    }
    std::string words = header.dump();
    words.resize((words.size() + 7) / 8 * 8, ' ');  // the numbers begin at a multiple of eight bytes
    const auto size = std::bit_cast<std::array<char, 8>>(static_cast<std::uint64_t>(words.size()));
    replace_file(path, [&](const Sink& sink) {
        sink({size.data(), size.size()});
        sink(words);
        for (const auto& [name, tensor] : tensors) {
            const at::Tensor rows = tensor.detach().cpu().contiguous();
            sink({static_cast<const char*>(rows.const_data_ptr()), rows.nbytes()});
        }
    });
}

}  // namespace crescendo::trainer
