#include "launch/report/html.hpp"

namespace crescendo::launch {

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
