#pragma once

#include <string>
#include <string_view>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// Text as HTML shows it, between tags and in attributes alike. Bytes that are not UTF-8 are replaced; control
/// characters are shown as \x1b.
std::string html_text(std::string_view text);

/// JSON as the content of a `<script type="application/json">`: nothing in it can end the element or begin another.
std::string script_json(const OrderedJson& json);

}  // namespace crescendo::launch
