#include "launch/report/html.hpp"

#include "launch/view/printable.hpp"

namespace crescendo::launch {

std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : valid_utf8(printable(text))) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string script_json(const OrderedJson& json) {
    std::string result;
    for (const char c : one_line(json)) {
        // Only strings have these, where JSON may write them so.
        if (c == '<' || c == '>' || c == '&') {
            result += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace crescendo::launch
