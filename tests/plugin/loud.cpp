/// A plug-in that prints when it is loaded and when its process ends.

#include <crescendo/plugin.hpp>
#include <iostream>

using namespace crescendo::plugin;

namespace {

struct Loud {
    Loud() { std::cout << "loud is loaded" << std::endl; }
    ~Loud() { std::cout << "loud is unloaded" << std::endl; }
};

const Loud loud;

class LoudSpace : public SearchSpace {
  public:
    explicit LoudSpace(const Search&) {}
    std::optional<Config> shape(Config draw) override { return draw; }
};

}  // namespace

CRESCENDO_PLUGIN(search_space<LoudSpace>("loud"))
