#include "launch/report/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/mapped.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"

namespace crescendo::launch::html {

std::string number(const OrderedJson& value) {
    const bool is_infinite = value.is_number_float() && !std::isfinite(value.get<double>());
    if (value.is_null() || is_infinite) {
        return "–";
    }
    if (value.is_string()) {
        return markup_text(value.get<std::string>());
    }
    return value.is_number_float() ? number_text(value.get<double>(), 5) : markup_text(value.dump());
}

std::vector<std::string> numbers(const OrderedJson& values) { return mapped(values, number); }

std::string text(const OrderedJson& object, const char* key) { return markup_text(object.at(key).get<std::string>()); }

std::string table_of(const char* kind, const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
    std::string result = fmt::format("<div class='scroll'><table class='{}'><thead><tr>", kind);
    for (const auto& column : columns) {
        result += fmt::format("<th scope='col'>{}</th>", column);
    }
    result += "</tr></thead><tbody>\n";
    for (const auto& row : rows) {
        result += "<tr>";
        for (const auto& cell : row) {
            result += fmt::format("<td>{}</td>", cell);
        }
        result += "</tr>\n";
    }
    return result + "</tbody></table></div>\n";
}

std::string chips(const OrderedJson& values) {
    std::string result = "<dl class='chips'>";
    for (const auto& [name, value] : values.items()) {
        result += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", markup_text(name), number(value));
    }
    return result + "</dl>\n";
}

std::string figure(const std::string& value, const std::string& what, const std::string& more) {
    return fmt::format("<div class='figure'><b>{}</b><span>{}</span><small>{}</small></div>\n", value, what, more);
}

std::string chart(const char* kind, std::size_t sweep, const char* title, const char* caption) {
    return fmt::format(
        "<figure data-chart='{}' data-sweep='{}'><figcaption><b>{}</b> <span>{}</span></figcaption></figure>\n", kind,
        sweep, title, caption);
}

std::string details(const char* title, const std::string& content, bool is_open) {
    return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", is_open ? " open" : "", title, content);
}

std::string script_json(const OrderedJson& json) {
    std::string result;
    for (const char c : one_line(json)) {
        // Only strings contain these characters, and JSON allows these escapes in strings.
        if (c == '<' || c == '>' || c == '&') {
            result += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace crescendo::launch::html
