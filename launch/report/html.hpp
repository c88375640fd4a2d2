#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"

/// Building blocks of a page, as HTML.
namespace crescendo::launch::html {

/// A value for people: numbers with five digits, a dash for null and for numbers that are not finite.
std::string number(const OrderedJson& value);

/// Each value of a list or an object, formatted by number().
std::vector<std::string> numbers(const OrderedJson& values);

/// The text at `key` of `object`, escaped for HTML.
std::string text(const OrderedJson& object, const char* key);

/// A table with the CSS class `kind` and a heading for each column; headings and cells are HTML.
std::string table_of(const char* kind, const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows);

/// Names and values side by side.
std::string chips(const OrderedJson& values);

/// A large value, with a label and a smaller line below; all three are HTML.
std::string figure(const std::string& value, const std::string& what, const std::string& more);

/// A placeholder in which the page's script draws a chart of this kind, for the sweep with this index.
std::string chart(const char* kind, std::size_t sweep, const char* title, const char* caption);

/// A section that the reader can fold; `content` is HTML.
std::string details(const char* title, const std::string& content, bool is_open = true);

/// JSON as the content of a `<script type="application/json">`. Nothing in it can end the element or begin another.
std::string script_json(const OrderedJson& json);

}  // namespace crescendo::launch::html
