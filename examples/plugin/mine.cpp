// Three classes for sweeps: a hill-climbing sampler, a search space of narrowing networks, and a rule that stops trials
// that no longer improve.

#include <algorithm>
#include <crescendo/plugin.hpp>
#include <map>
#include <random>

using namespace crescendo::plugin;

namespace {

/// Takes each value from the best trial so far with the probability `keep`, else from a random draw.
class Climber : public Sampler {
  public:
    explicit Climber(const Search& search)
        : search_(search), keep_(search.options.number("keep", 0.5)), random_(search.seed) {
        search.options.allow({"keep"});
    }

    Proposal propose(std::int64_t, const Config& draw) override {
        Config config = draw;
        if (best_) {
            for (const auto& [name, value] : best_->config) {
                if (config.has(name) && std::bernoulli_distribution(keep_)(random_)) {
                    config.set(name, value);
                }
            }
        }
        return config;
    }

    void tell(const Trial& trial) override {
        if (trial.report && (!best_ || search_.is_better(trial.report->value, best_->report->value))) {
            best_ = trial;
        }
    }

  private:
    Search search_;
    double keep_;
    std::mt19937_64 random_;
    std::optional<Trial> best_;
};

/// Networks whose layers narrow: width_1 is the wider one, and both have at most `most` units together.
class Narrowing : public SearchSpace {
  public:
    explicit Narrowing(const Search& search) : most_(search.options.integer("most", 256)) {
        search.options.allow({"most"});
    }

    std::optional<Config> shape(Config draw) override {
        const auto [narrow, wide] = std::minmax({draw.integer("width_1"), draw.integer("width_2")});
        if (narrow + wide > most_) {
            return {};  // draw again
        }
        draw.set("width_1", wide);
        draw.set("width_2", narrow);
        return draw;
    }

  private:
    std::int64_t most_;
};

/// Ends a trial that has not improved for `patience` reports.
class Plateau : public StopRule {
  public:
    explicit Plateau(const Search& search) : search_(search), patience_(search.options.integer("patience", 3)) {
        search.options.allow({"patience"});
    }

    bool stops(const Trial& trial) override {
        auto& [best, since] = records_[trial.id];
        if (!best || search_.is_better(trial.report->value, *best)) {
            best = trial.report->value;
            since = 0;
            return false;
        }
        return ++since >= patience_;
    }

  private:
    struct Record {
        std::optional<double> best;
        std::int64_t since = 0;
    };

    Search search_;
    std::int64_t patience_;
    std::map<std::int64_t, Record> records_;
};

}  // namespace

CRESCENDO_PLUGIN(sampler<Climber>("climber"), search_space<Narrowing>("narrowing"), stop_rule<Plateau>("plateau"))
