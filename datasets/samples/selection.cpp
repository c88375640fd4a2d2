#include "datasets/samples/selection.hpp"

#include <string_view>

#include "core/check.hpp"
#include "core/number_from.hpp"

namespace crescendo::datasets {
namespace {

std::optional<std::int64_t> to_row(std::string_view digits, const std::string& location) {
    if (digits.empty()) {
        return std::nullopt;
    }
    const auto row = number_from<std::int64_t>(digits);
    CRESCENDO_VALIDATE(row && *row >= 0, "",
                       "\"{}\": {} is not a sample number; write [BEGIN:END], like [0:50000], where END is not "
                       "included, or [/PATH] of a data set that lists samples",
                       location, digits);
    return row;
}

}  // namespace

Selection Selection::parse(const std::string& location) {
    const auto open = location.rfind('[');
    if (location.empty() || location.back() != ']' || open == std::string::npos) {
        return {.group = location};
    }
    Selection selection{.group = location.substr(0, open)};
    const auto inside = std::string_view(location).substr(open + 1, location.size() - open - 2);
    if (inside.starts_with('/')) {
        selection.list = inside;
        return selection;
    }
    const auto colon = inside.find(':');
    CRESCENDO_VALIDATE(colon != std::string_view::npos, "",
                       "\"{}\": [{}] selects nothing; write [BEGIN:END], like [0:50000], where END is not included, or "
                       "[/PATH] of a data set that lists samples",
                       location, inside);
    selection.begin = to_row(inside.substr(0, colon), location).value_or(0);
    const auto rest = inside.substr(colon + 1);
    const auto second = rest.find(':');
    selection.end = to_row(rest.substr(0, second), location);
    if (second != std::string_view::npos) {
        selection.step = to_row(rest.substr(second + 1), location).value_or(1);
        CRESCENDO_VALIDATE(selection.step >= 1, "", "\"{}\": the step is 0; use 1 or more", location);
    }
    return selection;
}

std::string Selection::suffix() const {
    if (!list.empty()) {
        return "[" + list + "]";
    }
    if (begin == 0 && !end && step == 1) {
        return "";
    }
    return text("[{}:{}{}]", begin, end ? std::to_string(*end) : "", step == 1 ? "" : text(":{}", step));
}

}  // namespace crescendo::datasets
