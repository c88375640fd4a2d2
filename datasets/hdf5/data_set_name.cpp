#include "datasets/hdf5/data_set_name.hpp"

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "core/trimmed.hpp"

namespace crescendo::datasets {
namespace {

std::vector<std::string_view> split_outside_brackets(std::string_view list) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        depth += list[i] == '[' ? 1 : list[i] == ']' ? -1 : 0;
        if (list[i] == ',' && depth == 0) {
            parts.push_back(trimmed(list.substr(begin, i - begin)));
            begin = i + 1;
        }
    }
    parts.push_back(trimmed(list.substr(begin)));
    return parts;
}

std::optional<std::int64_t> to_index(std::string_view digits, const std::string& text) {
    if (digits.empty()) {
        return std::nullopt;
    }
    const auto index = number_from<std::int64_t>(digits);
    CRESCENDO_VALIDATE(index && *index >= 0, "",
                       "\"{}\": {} is not an index; write [:, 3] for one index of the second axis, or [:, BEGIN:END], "
                       "where END is not included",
                       text, digits);
    return index;
}

DataSetName::Axis axis_of(std::string_view words, const std::string& text) {
    const auto colon = words.find(':');
    if (colon == std::string_view::npos) {
        const auto index = to_index(words, text);
        CRESCENDO_VALIDATE(index.has_value(), "", "\"{}\": an axis has no index; write : for all of it", text);
        return {.begin = *index, .end = *index + 1, .is_index = true};
    }
    return {.begin = to_index(trimmed(words.substr(0, colon)), text).value_or(0),
            .end = to_index(trimmed(words.substr(colon + 1)), text)};
}

}  // namespace

DataSetName DataSetName::parse(const std::string& text) {
    const auto open = text.find('[');
    if (open == std::string::npos || text.back() != ']') {
        return {.name = text};
    }
    DataSetName name{.name = text.substr(0, open)};
    const auto axes = split_outside_brackets(std::string_view(text).substr(open + 1, text.size() - open - 2));
    CRESCENDO_VALIDATE(axes.front() == ":", "",
                       "\"{}\": the first axis of a data set counts rows, and the location selects rows "
                       "(FILE:/GROUP[0:100]); write : for it, as in {}[:, 3]",
                       text, name.name);
    for (std::size_t i = 1; i < axes.size(); ++i) {
        name.axes.push_back(axis_of(axes[i], text));
    }
    return name;
}

void DataSetName::cut(Field& field, const std::string& of) const {
    if (axes.empty()) {
        return;
    }
    CRESCENDO_VALIDATE(axes.size() <= field.shape.size(), "",
                       "{} has {} axes besides its rows, but the brackets select from {}; leave some out", of,
                       field.shape.size(), axes.size());
    RowPart part{.row = field.shape};
    field.shape.clear();
    for (std::size_t i = 0; i < part.row.size(); ++i) {
        const auto axis = i < axes.size() ? axes[i] : Axis();
        const Range range{axis.begin, axis.end.value_or(part.row[i])};
        CRESCENDO_VALIDATE(range.begin < range.end && range.end <= part.row[i], "",
                           "{}: axis {} has the indices 0 to {}, but [{}, {}) is not a part of them", of, i + 1,
                           part.row[i] - 1, range.begin, range.end);
        part.ranges.push_back(range);
        if (!axis.is_index) {
            part.axes.push_back(i);
            field.shape.push_back(range.size());
        }
    }
    field.part = std::move(part);
}

std::vector<std::string> split_names(std::string_view list) {
    const auto parts = split_outside_brackets(list);
    return {parts.begin(), parts.end()};
}

}  // namespace crescendo::datasets
