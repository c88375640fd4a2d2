#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace crescendo {

/// The last `most` numbers of a series, and their median: a straggler among them changes little.
template <std::size_t most>
class Recent {
  public:
    void add(double number) {
        numbers_[next_] = number;
        next_ = (next_ + 1) % most;
        count_ = std::min(count_ + 1, most);
    }

    /// How many there are, up to `most`.
    std::size_t count() const { return count_; }

    /// The median; the lower of the two middle numbers if the count is even. There must be at least one number.
    double median() const { return sorted()[(count_ - 1) / 2]; }

    /// Half the width of the middle half, in units of the median, which is not 0.
    double scatter() const {
        const auto numbers = sorted();
        const auto quarter = (count_ - 1) / 4;
        return (numbers[count_ - 1 - quarter] - numbers[quarter]) / (2 * numbers[(count_ - 1) / 2]);
    }

  private:
    std::array<double, most> sorted() const {
        auto numbers = numbers_;
        for (std::size_t end = 1; end < count_; ++end) {  // few numbers: insertion is fastest
            for (auto i = end; i > 0 && numbers[i] < numbers[i - 1]; --i) {
                std::swap(numbers[i], numbers[i - 1]);
            }
        }
        return numbers;
    }

    std::array<double, most> numbers_{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
};

}  // namespace crescendo
