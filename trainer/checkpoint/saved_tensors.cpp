#include "trainer/checkpoint/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/words.hpp"

namespace crescendo::trainer {

namespace {

/// Storage types, by the names of their classes in Python's module torch.
constexpr Words storage_types{{std::pair{at::kFloat, "torch FloatStorage"},
                               {at::kDouble, "torch DoubleStorage"},
                               {at::kHalf, "torch HalfStorage"},
                               {at::kBFloat16, "torch BFloat16Storage"},
                               {at::kLong, "torch LongStorage"},
                               {at::kInt, "torch IntStorage"},
                               {at::kShort, "torch ShortStorage"},
                               {at::kChar, "torch CharStorage"},
                               {at::kByte, "torch ByteStorage"},
                               {at::kBool, "torch BoolStorage"},
                               {at::kComplexFloat, "torch ComplexFloatStorage"},
                               {at::kComplexDouble, "torch ComplexDoubleStorage"}}};

struct Value;
using Values = std::vector<Value>;

/// A Python function or class, as "module name".
struct Global {
    std::string name;
};
struct Storage {
    at::ScalarType type;
    c10::Storage bytes;
};
struct Dict {
    std::vector<std::pair<Value, Value>> entries;
};
struct Mark {};
struct Unknown {};  ///< None, and every object that is not needed

struct Value : std::variant<Unknown, Mark, Global, Storage, std::string, std::int64_t, at::Tensor,
                            std::shared_ptr<Values>, std::shared_ptr<Dict>> {
    using variant::variant;

    template <class Kind>
    const Kind* as() const {
        return std::get_if<Kind>(this);
    }
};

[[noreturn]] void refuse() { throw std::runtime_error("not a file from torch.save"); }

/// The stack machine of Python's pickle module, limited to what tensors need. It implements the operations of protocol
/// 2 (PEP 307), which torch.save writes.
class Machine {
  public:
    /// Without `records`, there are no tensors.
    Machine(std::string_view program, caffe2::serialize::PyTorchStreamReader* records)
        : program_(program), records_(records) {}

    Value run() {
        for (;;) {
            const char operation = *take(1);
            if (operation == '.') {
                return pop();
            }
            perform(operation);
        }
    }

  private:
    void perform(char operation) {
        switch (operation) {
            case '\x80':  // PROTO
                take(1);
                break;
            case '(':  // MARK
                push(Mark{});
                break;
            case '0':  // POP
                pop();
                break;
            case 'N':  // NONE
                push(Unknown{});
                break;
            case '\x88':  // NEWTRUE
                push(std::int64_t{1});
                break;
            case '\x89':  // NEWFALSE
                push(std::int64_t{0});
                break;
            case 'J':  // BININT
                push(std::int64_t{number<std::int32_t>()});
                break;
            case 'K':  // BININT1
                push(std::int64_t{number<std::uint8_t>()});
                break;
            case 'M':  // BININT2
                push(std::int64_t{number<std::uint16_t>()});
                break;
            case '\x8a':  // LONG1
                push(long_number(number<std::uint8_t>()));
                break;
            case 'G':  // BINFLOAT
                take(8);
                push(Unknown{});
                break;
            case 'X':  // BINUNICODE
            case 'T':  // BINSTRING
                push(text(number<std::uint32_t>()));
                break;
            case 'U':  // SHORT_BINSTRING
                push(text(number<std::uint8_t>()));
                break;
            case 'c': {  // GLOBAL
                std::string name = line();
                name.append(" ").append(line());
                push(Global{std::move(name)});
                break;
            }
            case '}':  // EMPTY_DICT
                push(std::make_shared<Dict>());
                break;
            case 's': {  // SETITEM
                Value value = pop();
                Value key = pop();
                set_items({std::move(key), std::move(value)});
                break;
            }
            case 'u':  // SETITEMS
                set_items(since_mark());
                break;
            case ']':  // EMPTY_LIST
            case ')':  // EMPTY_TUPLE
                push(std::make_shared<Values>());
                break;
            case 'a':   // APPEND
                pop();  // tensors in lists are not needed
                break;
            case 'e':  // APPENDS
                since_mark();
                break;
            case 't':  // TUPLE
                push(std::make_shared<Values>(since_mark()));
                break;
            case '\x85':  // TUPLE1
                push_tuple(1);
                break;
            case '\x86':  // TUPLE2
                push_tuple(2);
                break;
            case '\x87':  // TUPLE3
                push_tuple(3);
                break;
            case 'q':  // BINPUT
                memorize(number<std::uint8_t>());
                break;
            case 'r':  // LONG_BINPUT
                memorize(number<std::uint32_t>());
                break;
            case 'h':  // BINGET
                push(remembered(number<std::uint8_t>()));
                break;
            case 'j':  // LONG_BINGET
                push(remembered(number<std::uint32_t>()));
                break;
            case 'Q':  // BINPERSID
                push(storage(pop()));
                break;
            case 'R':       // REDUCE
            case '\x81': {  // NEWOBJ
                const Value arguments = pop();
                push(called(pop(), arguments));
                break;
            }
            case 'b':   // BUILD
                pop();  // attributes, such as the versions of modules in a state_dict
                break;
            default:
                refuse();
        }
    }

    const char* take(std::size_t bytes) {
        if (bytes > program_.size() - at_) {
            refuse();
        }
        at_ += bytes;
        return program_.data() + at_ - bytes;
    }

    template <class Number>
    Number number() {
        static_assert(std::endian::native == std::endian::little);
        Number result;
        std::memcpy(&result, take(sizeof result), sizeof result);
        return result;
    }

    std::int64_t long_number(std::size_t bytes) {
        if (bytes > 8) {
            refuse();
        }
        const char* digits = take(bytes);
        std::int64_t result = bytes > 0 && digits[bytes - 1] < 0 ? -1 : 0;
        std::memcpy(&result, digits, bytes);
        return result;
    }

    std::string text(std::size_t bytes) {
        take(bytes);
        return std::string(program_.substr(at_ - bytes, bytes));
    }

    std::string line() {
        const auto end = program_.find('\n', at_);
        if (end == std::string_view::npos) {
            refuse();
        }
        std::string words(program_.substr(at_, end - at_));
        at_ = end + 1;
        return words;
    }

    void push(Value value) { stack_.push_back(std::move(value)); }

    Value pop() {
        if (stack_.empty()) {
            refuse();
        }
        Value value = std::move(stack_.back());
        stack_.pop_back();
        return value;
    }

    Values since_mark() {
        Values values;
        for (Value value = pop(); !value.as<Mark>(); value = pop()) {
            values.push_back(std::move(value));
        }
        return {values.rbegin(), values.rend()};
    }

    void push_tuple(int count) {
        Values values(static_cast<std::size_t>(count));
        for (auto value = values.rbegin(); value != values.rend(); ++value) {
            *value = pop();
        }
        push(std::make_shared<Values>(std::move(values)));
    }

    void set_items(Values items) {
        if (stack_.empty() || items.size() % 2 != 0) {
            refuse();
        }
        if (const auto* dict = stack_.back().as<std::shared_ptr<Dict>>()) {
            for (std::size_t i = 0; i < items.size(); i += 2) {
                (*dict)->entries.emplace_back(std::move(items[i]), std::move(items[i + 1]));
            }
        }
    }

    void memorize(std::uint32_t place) {
        if (stack_.empty()) {
            refuse();
        }
        memory_[place] = stack_.back();
    }

    const Value& remembered(std::uint32_t place) const {
        const auto found = memory_.find(place);
        if (found == memory_.end()) {
            refuse();
        }
        return found->second;
    }

    /// Loads the storage with the id ("storage", class, name of its record, device, number of elements).
    Value storage(const Value& id) {
        const auto* parts = id.as<std::shared_ptr<Values>>();
        if (parts == nullptr || (*parts)->size() < 3) {
            refuse();
        }
        const auto* type_name = (**parts)[1].as<Global>();
        const auto* record = (**parts)[2].as<std::string>();
        const auto type = type_name ? storage_types.find(type_name->name) : std::nullopt;
        if (!type || record == nullptr || records_ == nullptr) {
            return Unknown{};
        }
        auto found = storages_.find(*record);
        if (found == storages_.end()) {
            auto [data, size] = records_->getRecord("data/" + *record);
            found = storages_.emplace(*record, c10::Storage({}, size, std::move(data), nullptr, false)).first;
        }
        return Storage{*type, found->second};
    }

    static Value called(const Value& callee, const Value& arguments) {
        const auto* function = callee.as<Global>();
        const auto* values = arguments.as<std::shared_ptr<Values>>();
        if (function == nullptr || values == nullptr) {
            return Unknown{};
        }
        if (function->name == "collections OrderedDict") {
            return std::make_shared<Dict>();
        }
        if (function->name == "torch._utils _rebuild_tensor_v2") {
            return rebuilt(**values);
        }
        if (function->name == "torch._utils _rebuild_parameter" && !(*values)->empty()) {
            return (*values)->front();
        }
        return Unknown{};
    }

    /// Rebuilds a tensor from the arguments (storage, offset, sizes, strides, …).
    static Value rebuilt(const Values& arguments) {
        if (arguments.size() < 4) {
            refuse();
        }
        const auto* storage = arguments[0].as<Storage>();
        const auto* offset = arguments[1].as<std::int64_t>();
        if (storage == nullptr || offset == nullptr) {
            return Unknown{};
        }
        at::Tensor tensor = at::empty({0}, storage->type);
        return tensor.set_(storage->bytes, *offset, numbers(arguments[2]), numbers(arguments[3]));
    }

    static std::vector<std::int64_t> numbers(const Value& tuple) {
        const auto* values = tuple.as<std::shared_ptr<Values>>();
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; values != nullptr && i < (*values)->size(); ++i) {
            const auto* number = (**values)[i].as<std::int64_t>();
            all.push_back(number ? *number : -1);  // torch refuses a negative size
        }
        return all;
    }

    std::string_view program_;
    caffe2::serialize::PyTorchStreamReader* records_;
    std::size_t at_ = 0;
    Values stack_;
    std::map<std::uint32_t, Value> memory_;
    std::map<std::string, c10::Storage> storages_;
};

/// `depth` limits the recursion, because a dict may contain itself.
SavedTensors tensors_of(const Dict& dict, int depth = 0) {
    constexpr int most = 8;
    SavedTensors saved;
    for (const auto& [key, value] : dict.entries) {
        const auto* name = key.as<std::string>();
        if (name == nullptr) {
            continue;
        }
        if (const auto* tensor = value.as<at::Tensor>()) {
            saved.tensors.insert_or_assign(*name, *tensor);
        } else if (const auto* words = value.as<std::string>()) {
            saved.texts.insert_or_assign(*name, *words);
        } else if (const auto* inner = value.as<std::shared_ptr<Dict>>(); inner && depth < most) {
            if (auto of_inner = tensors_of(**inner, depth + 1); !of_inner.tensors.empty() || !of_inner.dicts.empty()) {
                saved.dicts.insert_or_assign(*name, std::move(of_inner));
            }
        }
    }
    return saved;
}

Value content_of(caffe2::serialize::PyTorchStreamReader& records, bool with_tensors) {
    const auto [data, size] = records.getRecord("data.pkl");
    return Machine({static_cast<const char*>(data.get()), size}, with_tensors ? &records : nullptr).run();
}

}  // namespace

SavedTensors read_saved_tensors(const std::filesystem::path& path) {
    caffe2::serialize::PyTorchStreamReader records(path.string());
    const Value content = content_of(records, /*with_tensors=*/true);
    const auto* dict = content.as<std::shared_ptr<Dict>>();
    return dict ? tensors_of(**dict) : SavedTensors();
}

void require_whole_pickle(caffe2::serialize::PyTorchStreamReader& records) {
    content_of(records, /*with_tensors=*/false);
}

}  // namespace crescendo::trainer
