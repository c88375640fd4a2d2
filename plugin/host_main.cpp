/// crescendo-plugin-host --list LIBRARY: prints the classes of a plug-in as JSON. crescendo-plugin-host
/// sampler|stop_rule NAME LIBRARY…: runs one class of the plug-ins, through the messages of docs/sampler-protocol.md.
///
/// Plug-ins run in this separate process, so that the sweep survives if one throws, hangs or crashes. Exit status: 0,
/// or 1 with a line on stderr that says why.

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin/library.hpp"
#include "plugin/messages.hpp"

namespace {

using crescendo::plugin::kind_name;
using crescendo::plugin::load;
using crescendo::plugin::Message;
using crescendo::plugin::Structs;

int list(const std::string& library) {
    // Keeps what the library prints, while it is loaded or when the process ends, out of the answer on stdout.
    const int output = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    Message answer{{"parts", Message::array()}};
    try {
        for (const auto& part : load(library)) {
            answer["parts"].push_back({{"kind", kind_name(part)}, {"name", part.name}});
        }
    } catch (const std::exception& error) {
        answer = {{"problem", error.what()}};
    }
    ::dprintf(output, "%s\n", answer.dump().c_str());
    return 0;
}

/// Finds the stop rule, or the sampler or search space, of this name in the libraries.
crescendo_part find(bool is_stop_rule, const std::string& name, const std::vector<std::string>& libraries) {
    for (const auto& library : libraries) {
        try {
            for (const auto& part : load(library)) {
                if (part.name == name && (part.kind == crescendo_stop_rule) == is_stop_rule) {
                    return part;
                }
            }
        } catch (const std::exception& error) {
            throw std::runtime_error(library + ": " + error.what());
        }
    }
    throw std::runtime_error("no plug-in has " + name);
}

/// The answer of a plug-in's function. check() throws if something was wrong, such as an exception of the plug-in.
struct Answer {
    explicit Answer(const char* called) : function(called) {}

    void check() const {
        if (failure) {
            throw std::runtime_error(function + *failure);
        }
    }

    const std::string function;
    Message config = Message::object();
    std::optional<std::string> failure;
    crescendo_answer functions{this,
                               [](void* self, const char* name, crescendo_value value) {
                                   try {
                                       static_cast<Answer*>(self)->config[name] = crescendo::plugin::to_json(value);
                                   } catch (const std::exception& error) {
                                       static_cast<Answer*>(self)->failure =
                                           std::string(" returned ") + name + " = " + error.what();
                                   }
                               },
                               [](void* self, const char* message) {
                                   static_cast<Answer*>(self)->failure = std::string(" threw: ") + message;
                               }};
};

/// One object of a plug-in, driven by messages.
class Host {
  public:
    explicit Host(const crescendo_part& part) : part_(part) {}
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host() {
        if (self_ != nullptr) {
            part_.destroy(self_);
        }
    }

    /// Handles a request, and returns its answer if it has one.
    std::optional<Message> take(const Message& request) {
        const auto kind = request.at("request").get<std::string>();
        if (kind == "begin") {
            begin(request);
        } else if (kind == "propose") {
            return propose(request);
        } else if (kind == "judge") {
            return judge(request);
        } else if (kind == "tell" && part_.tell != nullptr) {
            Answer answer("tell()");
            Structs structs;
            const auto trial = structs.trial(request);
            part_.tell(self_, &trial, &answer.functions);
            answer.check();
        }
        return {};
    }

  private:
    void begin(const Message& request) {
        Answer answer("its constructor");
        Structs structs;
        const auto search = structs.search(request);
        self_ = part_.create(&search, &answer.functions);
        answer.check();
    }

    Message propose(const Message& request) {
        Answer answer(part_.kind == crescendo_search_space ? "shape()" : "propose()");
        Structs structs;
        const auto what = part_.propose(self_, request.at("proposal").get<std::int64_t>(),
                                        structs.entries(request.at("draw")), &answer.functions);
        answer.check();
        switch (what) {
            case crescendo_config:
                return {{"config", answer.config}};
            case crescendo_nothing_yet:
                return {{"config", nullptr}};
            case crescendo_draw_again:
                return {{"draw_again", true}};
            default:
                return {{"done", true}};
        }
    }

    Message judge(const Message& request) {
        Answer answer("stops()");
        Structs structs;
        const auto trial = structs.trial(request);
        const bool stops = part_.stops(self_, &trial, &answer.functions) != 0;
        answer.check();
        return {{"stop", stops}};
    }

    crescendo_part part_;
    void* self_ = nullptr;
};

/// The socket to crescendo.
class Lines {
  public:
    explicit Lines(int descriptor) : descriptor_(descriptor) {}

    /// The next line; nullopt if crescendo has closed its end.
    std::optional<std::string> read() {
        for (;;) {
            if (const auto end = held_.find('\n'); end != std::string::npos) {
                auto line = held_.substr(0, end);
                held_.erase(0, end + 1);
                return line;
            }
            char buffer[65536];
            const auto received = ::recv(descriptor_, buffer, sizeof buffer, 0);
            if (received > 0) {
                held_.append(buffer, static_cast<std::size_t>(received));
            } else if (received == 0 || errno != EINTR) {
                return {};
            }
        }
    }

    void write(std::string text) {
        text += '\n';
        while (!text.empty()) {
            const auto sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent > 0) {
                text.erase(0, static_cast<std::size_t>(sent));
            } else if (errno != EINTR) {
                return;  // crescendo has closed its end; the next read() notices
            }
        }
    }

  private:
    int descriptor_;
    std::string held_;
};

void serve(const crescendo_part& part, int descriptor) {
    Lines lines(descriptor);
    Host host(part);
    while (const auto line = lines.read()) {
        if (const auto answer = host.take(Message::parse(*line))) {
            lines.write(answer->dump(-1, ' ', false, Message::error_handler_t::replace));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const char* descriptor = std::getenv("CRESCENDO_FD");
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // so that output before a crash reaches the log
    try {
        if (words.size() == 2 && words[0] == "--list") {
            return list(words[1]);
        }
        if (words.size() < 3 || descriptor == nullptr) {
            throw std::runtime_error("crescendo starts crescendo-plugin-host; use `crescendo run`");
        }
        serve(find(words[0] == "stop_rule", words[1], {words.begin() + 2, words.end()}), std::atoi(descriptor));
        return 0;
    } catch (const std::exception& error) {
        std::fflush(stdout);  // so that the reason is the last line
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
