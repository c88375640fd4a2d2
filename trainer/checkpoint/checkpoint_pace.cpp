#include "trainer/checkpoint/checkpoint_pace.hpp"

#include <algorithm>

namespace crescendo::trainer {

bool CheckpointPace::is_due(Time now) const {
    const bool off = every_ && every_->count() == 0;
    return !off && now - last_ >= interval();
}

void CheckpointPace::note_written(Time began, Time ended) {
    last_ = began;
    writing_ = ended - began;
}

CheckpointPace::Seconds CheckpointPace::interval() const {
    return every_ ? *every_ : std::max<Seconds>(std::chrono::minutes(10), 100 * writing_);
}

}  // namespace crescendo::trainer
