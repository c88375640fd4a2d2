#pragma once

#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace crescendo {

/// The function's results for the elements of a range, in their order.
template <std::ranges::input_range Elements, typename Function>
auto mapped(Elements&& elements, Function function) {
    using Result = std::invoke_result_t<Function&, std::ranges::range_reference_t<Elements>>;
    std::vector<std::remove_cvref_t<Result>> results;
    if constexpr (std::ranges::sized_range<Elements>) {
        results.reserve(std::ranges::size(elements));
    }
    for (auto&& each : elements) {
        results.push_back(std::invoke(function, std::forward<decltype(each)>(each)));
    }
    return results;
}

}  // namespace crescendo
