#include "datasets/writers/computed_set.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>

#include "datasets/hdf5/location.hpp"
#include "datasets/system/task_pool.hpp"
#include "datasets/writers/new_group.hpp"
#include "datasets/writers/sample_writer.hpp"

namespace crescendo::datasets {
namespace {

std::size_t num_elements(const std::vector<std::int64_t>& shape) {
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

std::vector<std::int64_t> shape_of_all(std::int64_t num_samples, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> all{num_samples};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
}

}  // namespace

void write_computed_set(const std::string& location, const ComputedSet& set, int num_threads,
                        const WriteOptions& write_options) {
    const auto total = set.num_samples;
    const auto input_elements = num_elements(set.input_shape);
    const auto target_elements = set.target_shape ? num_elements(*set.target_shape) : 0;
    const auto chunk = chunk_samples_for(write_options, total, input_elements * sizeof(float));

    NewGroup group(Location::parse(location), write_options.alignment);
    {
        SampleWriter input_writer(group.id(), "inputs", ElementType::f32, shape_of_all(total, set.input_shape), chunk,
                                  write_options.compression);
        std::optional<SampleWriter> target_writer;
        if (set.target_shape) {
            target_writer.emplace(group.id(), "targets", ElementType::f32, shape_of_all(total, *set.target_shape),
                                  chunk, write_options.compression);
        }
        TaskPool pool(num_threads);
        // So many at a time that no thread waits long for the others.
        const auto block = (4 * num_threads + chunk - 1) / chunk * chunk;
        std::vector<float> inputs(static_cast<std::size_t>(block) * input_elements);
        std::vector<float> targets(static_cast<std::size_t>(block) * target_elements);
        for (std::int64_t done = 0; done < total;) {
            const auto count = static_cast<std::size_t>(std::min(block, total - done));
            pool.run(count, [&](std::size_t i) {
                set.compute(done + static_cast<std::int64_t>(i), inputs.data() + i * input_elements,
                            targets.data() + i * target_elements);
            });
            input_writer.write(std::as_bytes(std::span(inputs).first(count * input_elements)), write_options.poll);
            if (target_writer) {
                target_writer->write(std::as_bytes(std::span(targets).first(count * target_elements)),
                                     write_options.poll);
            }
            done += static_cast<std::int64_t>(count);
            if (write_options.progress) {
                write_options.progress(done, total);
            }
        }
        input_writer.close();
        if (target_writer) {
            target_writer->close();
        }
    }
    group.publish();
}

}  // namespace crescendo::datasets
