#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduler/space/rules.hpp"

namespace crescendo {

/// Reads the rules of a search space: each parameter after those that it depends on, so that the types of derived
/// parameters are known when other rules use them.
class Rules::Reader {
  public:
    Reader(const std::vector<Parameter>& parameters, Rules& rules, std::vector<ExpressionError>& problems);

    void read_parameters();
    void read_constraints(const std::vector<std::string>& constraints);

  private:
    enum class State { unread, being_read, read };

    void read(std::size_t parameter);
    void read_those_in(const std::string& text, const std::string& key, std::size_t parameter);
    std::optional<Expression> expression(const std::string& text, const std::string& key);
    std::optional<Expression> condition(const std::string& text, const std::string& key, const char* what);
    void report_cycle(std::size_t begin, const std::string& key, std::size_t offset);
    void add_symbol(std::size_t parameter);

    const std::vector<Parameter>& parameters_;
    Rules& rules_;
    std::vector<ExpressionError>& problems_;
    std::map<std::string, std::size_t, std::less<>> indices_;
    std::vector<State> states_;
    std::vector<std::size_t> path_;  ///< the parameters that are being read, each needed by the one before it
    std::set<std::string> unknown_;  ///< names of parameters with wrong rules, whose types are unknown
    Symbols symbols_;
};

}  // namespace crescendo
