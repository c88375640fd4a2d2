#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/journal/journal.hpp"
#include "launch/json/json.hpp"
#include "launch/sampling/proposal_source.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// One `crescendo ask-tell` conversation: reads events and writes actions, one JSON object per line, so that any
/// launcher can use the scheduler's decisions (docs/ask-tell.md).
///
/// Each input line gives exactly one output line, in order. An invalid line gives an error and changes nothing.
class AskTell {
  public:
    /// Begins a conversation without a journal.
    explicit AskTell(SweepSpec spec, std::unique_ptr<ProposalSource> source = own_sampler())
        : sweep_(std::move(spec)), source_(std::move(source)) {}

    /// Begins or continues a conversation with a journal. `sweep` has already taken the journal's events; the slots in
    /// them are lost, because their session is over. The caller syncs the journal before it passes answers on.
    AskTell(Sweep sweep, Journal& journal, std::unique_ptr<ProposalSource> source = own_sampler());

    /// Applies new limits from now on; `record` is their limits_record(). If they are invalid, throws InvalidInput and
    /// changes nothing.
    void change_limits(const Json& record);

    /// The answers to the lines that these bytes complete. An incomplete line is kept for the next call.
    std::string take(std::string_view bytes);

    /// Ends the input. Returns the answer to a last line without a line feed, if there is one.
    std::string end();

    const Sweep& sweep() const { return sweep_; }

    /// Length of the longest line in bytes. A longer line gives an error and is never held whole.
    static constexpr std::size_t longest_line = std::size_t{1} << 24;

  private:
    void hold(std::string_view bytes);
    std::string finish_line();
    OrderedJson answer(std::string_view line);
    Event read(const Json& line) const;
    Event read_report(const Json& line) const;
    void record(const Event& event, const Json& line);
    std::vector<Action> record_config(TrialId trial);

    Sweep sweep_;
    std::unique_ptr<ProposalSource> source_;
    Journal* journal_ = nullptr;
    std::int64_t next_slot_ = 0;  ///< one more than the largest id of all slots that joined in this session
    std::string line_;            ///< the part of the current line that has arrived
    bool too_long_ = false;
    std::int64_t line_number_ = 0;
};

}  // namespace crescendo::launch
