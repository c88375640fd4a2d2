#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"

/// The parts that a page is made of, as HTML.
namespace crescendo::launch::html {

/// A value as people read it: numbers with five digits, a dash for null and for what is not finite.
std::string number(const OrderedJson& value);

/// Each value of a list or an object as number() has it.
std::vector<std::string> numbers(const OrderedJson& values);

/// A text of `object`, as HTML shows it.
std::string text(const OrderedJson& object, const char* key);

/// A table of this CSS class, with a heading for each column; cells are HTML.
std::string table_of(const char* kind, const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows);

/// Names and values, one beside the other.
std::string chips(const OrderedJson& values);

/// A large value, with what it is below; all are HTML.
std::string figure(const std::string& value, const std::string& what, const std::string& more);

/// A place for the page's script to draw a chart of this kind in, of the sweep with this index.
std::string chart(const char* kind, std::size_t sweep, const char* title, const char* caption);

/// HTML that the reader may fold.
std::string details(const char* title, const std::string& content, bool is_open = true);

/// JSON as the content of a `<script type="application/json">`: nothing in it can end the element or begin another.
std::string script_json(const OrderedJson& json);

}  // namespace crescendo::launch::html
