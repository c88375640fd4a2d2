#include "datasets/writers/computed_set.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>

#include "core/check.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/system/task_pool.hpp"
#include "datasets/writers/new_group.hpp"
#include "datasets/writers/sample_writer.hpp"

namespace crescendo::datasets {
namespace {

std::size_t num_elements(const std::vector<std::int64_t>& shape) {
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

}  // namespace

void write_computed_set(const std::string& location, const ComputedSet& set, int num_threads,
                        const WriteOptions& write_options) {
    const auto total = set.num_samples;
    const auto input_elements = num_elements(set.input_shape);
    const auto target_elements = set.target_shape ? num_elements(*set.target_shape) : 0;
    CRESCENDO_VALIDATE(total >= 1, "", "{} samples; use at least 1", total);
    const auto most = (std::int64_t{1} << 50) / static_cast<std::int64_t>(input_elements * sizeof(float));
    CRESCENDO_VALIDATE(total <= most, "--samples",
                       "--samples {}: would take more than 2^50 bytes; use at most {}, or test scaling with --sparse",
                       total, most);
    const auto chunk = chunk_samples_for(write_options, total, input_elements * sizeof(float));

    NewGroup group(Location::parse(location), write_options.alignment);
    {
        const auto layout = [&](const auto& shape) { return SampleWriter::Layout{total, shape, chunk, write_options}; };
        SampleWriter input_writer(group.id(), "inputs", ElementType::f32, layout(set.input_shape));
        std::optional<SampleWriter> target_writer;
        if (set.target_shape) {
            target_writer.emplace(group.id(), "targets", ElementType::f32, layout(*set.target_shape));
        }
        TaskPool pool(num_threads);
        // Enough samples at a time that no thread waits long for the others.
        const auto block = (4 * num_threads + chunk - 1) / chunk * chunk;
        std::vector<float> inputs(static_cast<std::size_t>(block) * input_elements);
        std::vector<float> targets(static_cast<std::size_t>(block) * target_elements);
        for (std::int64_t done = 0; done < total;) {
            const auto count = static_cast<std::size_t>(std::min(block, total - done));
            pool.run(count, [&](std::size_t i) {
                set.compute(done + static_cast<std::int64_t>(i), inputs.data() + i * input_elements,
                            targets.data() + i * target_elements);
            });
            input_writer.write(std::as_bytes(std::span(inputs).first(count * input_elements)));
            if (target_writer) {
                target_writer->write(std::as_bytes(std::span(targets).first(count * target_elements)));
            }
            done += static_cast<std::int64_t>(count);
            write_options.progress(done, total);
        }
        input_writer.close();
        if (target_writer) {
            target_writer->close();
        }
    }
    group.publish();
}

}  // namespace crescendo::datasets
