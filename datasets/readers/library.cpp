#include "datasets/readers/library.hpp"

#include <array>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/readers/filter_pipeline.hpp"

namespace crescendo::datasets {

LibraryFacts library_facts() {
    const hdf5::Session session;
    LibraryFacts facts;
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    facts.version = text("{}.{}.{}", major, minor, release);
    hbool_t thread_safe = false;
    H5is_library_threadsafe(&thread_safe);
    facts.thread_safe = thread_safe;
    // Filters that data sets for machine learning use, by registered identifier.
    constexpr std::array<std::pair<int, const char*>, 7> filters{{{1, "deflate"},
                                                                  {2, "shuffle"},
                                                                  {3, "fletcher32"},
                                                                  {32000, "lzf"},
                                                                  {32001, "blosc"},
                                                                  {32004, "lz4"},
                                                                  {32015, "zstd"}}};
    for (const auto& [id, name] : filters) {
        if (FilterPipeline::knows(id)) {
            facts.built_in.emplace_back(name);
        } else if (H5Zfilter_avail(id) <= 0) {
            facts.missing.emplace_back(name);
        }
    }
    return facts;
}

}  // namespace crescendo::datasets
