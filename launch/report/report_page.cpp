#include "launch/report/report_page.hpp"

#include <fmt/format.h>

#include "core/mapped.hpp"
#include "launch/report/assets.hpp"
#include "launch/report/comparison_section.hpp"
#include "launch/report/html.hpp"
#include "launch/report/sweep_section.hpp"

namespace crescendo::launch {

std::string report_page(const std::vector<OrderedJson>& sweeps, const OrderedJson& comparison, PageKind kind) {
    const auto names = mapped(sweeps, [](const OrderedJson& sweep) { return html::text(sweep, "name"); });
    std::string body;
    if (!comparison.is_null()) {
        body += comparison_section(comparison, sweeps);
    }
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        body += sweep_section(sweeps[i], i, sweeps.size() == 1, kind);
    }
    return fmt::format(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'{6}\">\n"
        "<title>{0} – Crescendo</title>\n<style>\n{1}</style></head>\n<body>\n"
        "<header><h1>{0}</h1><span class='muted'>Crescendo {2}</span>"
        "<span class='keys'>← → trials by rank · B best · Esc none</span>{7}</header>\n<main>\n{3}</main>\n"
        "<div id='tip' role='status'></div>\n"
        "<script type='application/json' id='data'>{4}</script>\n<script>\n{5}</script>\n</body></html>\n",
        fmt::join(names, ", "), page_style, CRESCENDO_VERSION, body, html::script_json({{"sweeps", sweeps}}),
        page_script, kind == PageKind::served ? "; connect-src 'self'" : "",
        kind == PageKind::served ? "<span id='live'></span>" : "");
}

}  // namespace crescendo::launch
