#include "trainer/checkpoint/safetensors.hpp"

#include <ATen/ATen.h>

#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/words.hpp"

namespace crescendo::trainer {

namespace {

constexpr Words types{{std::pair{at::kFloat, "F32"},
                       {at::kDouble, "F64"},
                       {at::kHalf, "F16"},
                       {at::kBFloat16, "BF16"},
                       {at::kLong, "I64"},
                       {at::kInt, "I32"},
                       {at::kShort, "I16"},
                       {at::kChar, "I8"},
                       {at::kByte, "U8"},
                       {at::kBool, "BOOL"}}};

void require(bool holds) {
    if (!holds) {
        throw std::runtime_error("not a safetensors file");
    }
}

}  // namespace

std::string misfit_of_safetensors(const std::vector<NamedTensor>& tensors) {
    for (const auto& [name, tensor] : tensors) {
        if (!types.has(tensor.scalar_type())) {
            return text("{} is {}, which safetensors cannot store", name, c10::toString(tensor.scalar_type()));
        }
    }
    return {};
}

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors) {
    static_assert(std::endian::native == std::endian::little);
    if (const auto misfit = misfit_of_safetensors(tensors); !misfit.empty()) {
        throw std::runtime_error(misfit);
    }
    nlohmann::ordered_json header{{"__metadata__", {{"format", "pt"}}}};
    std::uint64_t end = 0;
    for (const auto& named : tensors) {
        const std::uint64_t begin = end;
        end += named.tensor.nbytes();
        header[named.name] = {{"dtype", types.of(named.tensor.scalar_type())},
                              {"shape", named.tensor.sizes().vec()},
                              {"data_offsets", {begin, end}}};
    }
    std::string words = header.dump();
    words.resize((words.size() + 7) / 8 * 8, ' ');  // so that the numbers begin at a multiple of 8 bytes
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

std::map<std::string, at::Tensor> read_safetensors(const std::filesystem::path& path) {
    const std::uint64_t file_size = std::filesystem::file_size(path);
    std::ifstream file(path, std::ios::binary);
    std::array<char, 8> size_bytes{};
    file.read(size_bytes.data(), size_bytes.size());
    const auto header_size = std::bit_cast<std::uint64_t>(size_bytes);
    require(file.good() && header_size <= file_size - size_bytes.size());
    std::string words(header_size, '\0');
    file.read(words.data(), static_cast<std::streamsize>(words.size()));
    const std::uint64_t data_begin = size_bytes.size() + header_size;

    std::map<std::string, at::Tensor> all;
    const auto header = nlohmann::json::parse(words);
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") {
            continue;
        }
        const auto type = types.find(entry.at("dtype").get<std::string>());
        require(type.has_value());
        const auto offsets = entry.at("data_offsets").get<std::array<std::uint64_t, 2>>();
        require(offsets[0] <= offsets[1] && offsets[1] <= file_size - data_begin);
        const at::Tensor tensor = at::empty(entry.at("shape").get<std::vector<std::int64_t>>(), *type);
        require(tensor.nbytes() == offsets[1] - offsets[0]);
        file.seekg(static_cast<std::streamoff>(data_begin + offsets[0]));
        file.read(static_cast<char*>(tensor.mutable_data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
        require(file.good());
        all.emplace(name, tensor);
    }
    return all;
}

}  // namespace crescendo::trainer
