/// A plug-in whose classes misbehave, each in its own way, from the third proposal or report on.

#include <chrono>
#include <crescendo/plugin.hpp>
#include <cstdlib>
#include <thread>

using namespace crescendo::plugin;

namespace {

enum class Trouble { none, throws, throws_a_number, hangs, dies };

void make(Trouble trouble) {
    switch (trouble) {
        case Trouble::throws:
            throw std::runtime_error("no memory for the model");
        case Trouble::throws_a_number:
            throw 42;
        case Trouble::hangs:
            std::this_thread::sleep_for(std::chrono::minutes(10));
            break;
        case Trouble::dies:
            std::abort();
            break;
        default:
            break;
    }
}

template <Trouble in_propose, Trouble in_tell = Trouble::none>
class TroubledSampler : public Sampler {
  public:
    explicit TroubledSampler(const Search&) {}

    Proposal propose(std::int64_t number, const Config& draw) override {
        if (number % 3 == 2) {
            make(in_propose);
        }
        return draw;
    }

    void tell(const Trial& trial) override {
        if (trial.report) {
            make(in_tell);
        }
    }
};

class UnbornSampler : public Sampler {
  public:
    explicit UnbornSampler(const Search& search) { search.options.text("model"); }
    Proposal propose(std::int64_t, const Config&) override { return Done{}; }
};

/// Proposes nothing before there are reports, and only three configurations.
class ShortSampler : public Sampler {
  public:
    explicit ShortSampler(const Search&) {}
    Proposal propose(std::int64_t, const Config& draw) override {
        if (++count_ == 2) {
            return NothingYet{};
        }
        return count_ > 4 ? Proposal(Done{}) : Proposal(draw);
    }

  private:
    int count_ = 0;
};

class EmptySpace : public SearchSpace {
  public:
    explicit EmptySpace(const Search&) {}
    std::optional<Config> shape(Config) override { return {}; }
};

template <Trouble trouble>
class TroubledRule : public StopRule {
  public:
    explicit TroubledRule(const Search&) {}
    bool stops(const Trial&) override {
        make(trouble);
        return false;
    }
};

}  // namespace

CRESCENDO_PLUGIN(sampler<TroubledSampler<Trouble::throws>>("thrower"),
                 sampler<TroubledSampler<Trouble::throws_a_number>>("juggler"),
                 sampler<TroubledSampler<Trouble::none, Trouble::throws>>("gossip"),
                 sampler<TroubledSampler<Trouble::hangs>>("sleeper"),
                 sampler<TroubledSampler<Trouble::dies>>("crasher"), sampler<UnbornSampler>("unborn"),
                 sampler<ShortSampler>("short"), search_space<EmptySpace>("empty"), search_space<EmptySpace>("sobol"),
                 stop_rule<TroubledRule<Trouble::throws>>("thrower"), stop_rule<TroubledRule<Trouble::dies>>("crasher"))
