#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/value.hpp"

namespace crescendo {

/// A trial of an earlier sweep, for samplers that learn from results.
struct EarlierResult {
    struct Report {
        Resource resource;
        double loss;  ///< +infinity if it was not finite

        friend bool operator==(const Report&, const Report&) = default;
    };

    Config config;                ///< values of parameters of this sweep; may lack some
    std::vector<Report> reports;  ///< in the order of their resources
    bool has_lost = false;        ///< as Ending::lost
    bool is_complete = false;     ///< as Ending::complete

    friend bool operator==(const EarlierResult&, const EarlierResult&) = default;
};

}  // namespace crescendo
