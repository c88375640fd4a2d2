/// Damages texts that others write, and reads them: sweep files, files of other tools, reports, answers of samplers,
/// events and messages between agents. An error about the text is fine. A crash, a hang, a finding of a sanitizer, or
/// an event that reads back as another one is a failure.
///
/// usage: fuzz_texts SECONDS [SEED [CASE]]
///
/// Prints the seed, and the case if it fails. Seed and number reproduce a case: `fuzz_texts 0 SEED CASE` prints that
/// text and reads it.
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "launch/import/import_formats.hpp"
#include "launch/json/event_json.hpp"
#include "launch/messages/line_channel.hpp"
#include "launch/messages/trial_report.hpp"
#include "launch/messages/wire.hpp"
#include "launch/sampling/sampler_messages.hpp"
#include "launch/sweep_file/sweep_file.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr unsigned patience_s = 20;
unsigned long long current_case = 0;

using Texts = std::vector<std::string>;

struct Reader {
    const char* name;
    Texts sound;
    void (*read)(const std::string& text);
};

void read_sweep_text(const std::string& text) { parse_sweep(text, "sweep.yaml"); }

void read_foreign_file(const std::string& text) { text_of(import_file({"file.yaml", text}), "file.yaml"); }

void read_line(const std::string& text) {
    const auto json = parse_message(text);
    if (!json.contains("event")) {
        report_from(TrialId{0}, json);
        return;
    }
    const auto event = to_json(event_from_json(json));
    if (to_json(event_from_json(Json::parse(one_line(event)))) != event) {
        std::puts("the event reads back as another one");
        std::abort();
    }
}

void read_answer(const std::string& text) {
    static const SearchSpace space(
        {{"x", Uniform{0, 1}}, {"n", IntUniform{1, 8}}, {"c", Categorical{{"a", true}, {}}}});
    answer_from(text, 0, space);
}

void read_notices(const std::string& bytes) { decode_notices(Bytes(bytes.begin(), bytes.end())); }

std::string bytes_of_notices() {
    const auto bytes = encode(std::vector<Notice>{protocol::Report{TrialId{1}, 0, Resource{2}, {{"loss", 0.5}}},
                                                  WorkerFailed{TrialId{1}, SlotId{2}, FailureKind::error, "killed"}});
    return {bytes.begin(), bytes.end()};
}

std::vector<Reader> readers() {
    return {
        {"sweep file",
         {"{command: [a, \"${x}\"], parameters: {x: {values: [1, b]}}}\n", "a: &a [1, 2]\nb: *a\n", "\"a\" # b\n",
          "command: [a, \"${args}\"]\nmetric: {name: loss}\nrun_cap: 2\nparameters:\n  x: {min: 0.0, max: 1}\n"
          "  y: {expression: 2 * x}\nscheduler: {type: asha, min: 1, max: 9}\n"},
         read_sweep_text},
        {"other tool's file",
         {"param_space: {x: \"tune.uniform(0, 1)\"}\nscheduler: {type: asha, max_t: 9}\n",
          "searcher: {name: grid, metric: loss}\nhyperparameters: {a: {type: int, minval: 1, maxval: 9, count: 3}}\n",
          "hydra: {sweeper: {params: {a: \"range(1, 9)\", b: \"tag(log, interval(1e-4, 0.1))\"}}}\n",
          "method: random\nparameters: {x: {distribution: q_uniform, min: 0, max: 1, q: 0.1}}\n",
          R"({"x": {"name": "FloatDistribution", "attributes": {"low": 0.0, "high": 1.0, "step": 0.1}}})"},
         read_foreign_file},
        {"line",
         {R"({"resource":3,"metrics":{"loss":0.5,"acc":NaN},"seconds":1.5,"step_seconds":0.1})",
          R"({"event":"trial_reported","trial":1,"resource":3,"loss":0.5,"step":[0.1,null,9],"clock":[1.5]})",
          R"({"event":"slots_joined","slots":[{"slot":0,"node":0,"gpu":1},{"slot":1,"node":0}]})",
          R"({"event":"trial_proposed","trial":1,"config":{"x":0.5,"c":[1,null],"n":3},"origin":"model"})"},
         read_line},
        {"sampler's answer", {R"({"config":{"x":0.5,"n":3,"c":"a"},"proposal":0})", R"({"done":true})"}, read_answer},
        {"notices", {bytes_of_notices()}, read_notices}};
}

/// A sound text with a few changes, and its reader. Depends only on seed and number.
class Case {
  public:
    Case(const std::vector<Reader>& readers, std::uint64_t seed, std::uint64_t number)
        : random_(seed + number), reader_(readers[below(readers.size())]), text_(any(reader_.sound)) {
        for (auto changes = below(4) + 1; changes > 0; --changes) {
            change();
        }
    }

    const std::string& text() const { return text_; }
    const char* reader() const { return reader_.name; }

    void read() const {
        try {
            reader_.read(text_);
        } catch (const std::runtime_error&) {
        } catch (const Json::exception&) {  // of messages between agents, which are of one version
        }
    }

  private:
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % std::max<std::size_t>(end, 1)); }
    const std::string& any(const Texts& texts) { return texts[below(texts.size())]; }

    /// Often one where the text's structure would change.
    std::size_t place() {
        const auto at = below(text_.size() + 1);
        return below(2) == 0 ? at : std::min(text_.find_first_of(",:{}[]\"\n", at), text_.size());
    }

    void change() {
        static const Texts words = [] {
            Texts all{"0",          "-1",          "1e300", ".nan", "null", "true", "9223372036854775808",
                      "4294967297", "\"",          ",",     "[",    "]",    "{",    "}",
                      "&a ",        "*a",          ": ",    "#",    "\t",   "\r\n", "---",
                      "\xFF",       "\xED\xA0\x80"};
            all.emplace_back(1, '\0');
            all.emplace_back(9999, '[');
            all.emplace_back(9999, '(');
            return all;
        }();
        const auto at = place();
        const auto length = below(20);
        switch (below(6)) {
            case 0:
                text_.insert(at, any(words));
                break;
            case 1:
                text_.replace(at, below(4), any(words));
                break;
            case 2:
                text_.erase(at, length);
                break;
            case 3:
                text_.insert(place(), text_.substr(at, length));
                break;
            case 4:
                text_.insert(at, any(reader_.sound).substr(0, length));
                break;
            default:
                if (at < text_.size()) {
                    text_[at] = static_cast<char>(text_[at] ^ (1 << below(8)));
                }
        }
    }

    std::mt19937_64 random_;
    const Reader& reader_;
    std::string text_;
};

void say_which(int signal) {
    std::printf("%s in case %llu\n", signal == SIGALRM ? "a hang" : "a crash", current_case);
    std::fflush(stdout);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

/// A finding of the sanitizer ends in abort(), and so in our handler.
extern "C" const char* __asan_default_options() { return "abort_on_error=1:handle_segv=0:handle_abort=0"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

int main(int argc, char** argv) {
    const auto all = readers();
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    if (argc > 3) {
        const Case damaged(all, seed, std::strtoull(argv[3], nullptr, 10));
        std::printf("%s: %s\n", damaged.reader(), damaged.text().c_str());
        damaged.read();
        return 0;
    }
    for (const int signal : {SIGALRM, SIGABRT, SIGSEGV}) {
        std::signal(signal, say_which);
    }
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(argc > 1 ? std::atof(argv[1]) : 30);
    for (; std::chrono::steady_clock::now() < end; ++current_case) {
        const Case damaged(all, seed, current_case);
        ::alarm(patience_s);
        damaged.read();
        ::alarm(0);
    }
    std::printf("%llu texts\n", current_case);
}
