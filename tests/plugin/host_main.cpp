#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace {

/// A host of one class of the example plug-in, at the other end of a socket.
class Host {
  public:
    Host(const char* place, const char* name, const nlohmann::json& options) {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::close(ends[0]);
            ::setenv("CRESCENDO_FD", std::to_string(ends[1]).c_str(), 1);
            ::execl(CRESCENDO_PLUGIN_HOST, CRESCENDO_PLUGIN_HOST, place, name,
                    CRESCENDO_PLUGINS "/test_plugin_mine.so", nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        socket_ = ends[0];
        tell({{"request", "begin"},
              {"name", "x"},
              {"metric", "loss"},
              {"goal", "minimize"},
              {"seed", 1},
              {"run_cap", nullptr},
              {"max_resource", 9},
              {"constraints", nlohmann::json::array()},
              {"options", options},
              {"parameters", nlohmann::json::object()}});
    }
    ~Host() {
        ::close(socket_);
        ::waitpid(pid_, nullptr, 0);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    void tell(const nlohmann::json& message) const {
        const auto line = message.dump() + "\n";
        REQUIRE(::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size()));
    }

    nlohmann::json ask(const nlohmann::json& message) const {
        tell(message);
        std::string line;
        for (char byte; ::recv(socket_, &byte, 1, 0) == 1 && byte != '\n';) {
            line += byte;
        }
        return nlohmann::json::parse(line);
    }

  private:
    pid_t pid_ = -1;
    int socket_ = -1;
};

nlohmann::json report(const char* request, int resource, double value) {
    return {{"request", request}, {"trial", 0},           {"status", "running"}, {"config", {{"x", 1}}},
            {"resource", resource}, {"value", value}};
}

/// What the host prints about a library.
std::string listed(const char* library) {
    std::FILE* const output = ::popen((std::string(CRESCENDO_PLUGIN_HOST " --list ") + library).c_str(), "r");
    REQUIRE(output != nullptr);
    std::string text;
    for (int byte; (byte = std::fgetc(output)) != EOF;) {
        text += static_cast<char>(byte);
    }
    CHECK(::pclose(output) == 0);
    return text;
}

}  // namespace

TEST_CASE("output printed while a library loads does not get into its list of classes") {
    CHECK(listed(CRESCENDO_PLUGINS "/test_plugin_loud.so") ==
          "{\"parts\":[{\"kind\":\"search space\",\"name\":\"loud\"}]}\n");
}

TEST_CASE("a sampler answers according to the sampler protocol") {
    const Host host("sampler", "climber", {{"keep", 1}});

    CHECK(host.ask({{"request", "propose"}, {"proposal", 0}, {"draw", {{"x", 5}}}}) ==
          nlohmann::json{{"config", {{"x", 5}}}});
    host.tell(report("tell", 1, 0.5));
    CHECK(host.ask({{"request", "propose"}, {"proposal", 1}, {"draw", {{"x", 7}}}}) ==
          nlohmann::json{{"config", {{"x", 1}}}});
}

TEST_CASE("a search space asks for another draw") {
    const Host host("sampler", "narrowing", nlohmann::json::object());

    const auto answer = [&](int width_1, int width_2) {
        const nlohmann::json draw{{"width_1", width_1}, {"width_2", width_2}};
        return host.ask({{"request", "propose"}, {"proposal", 0}, {"draw", draw}});
    };
    CHECK(answer(200, 100) == nlohmann::json{{"draw_again", true}});
    CHECK(answer(20, 100) == nlohmann::json{{"config", {{"width_1", 100}, {"width_2", 20}}}});
}

TEST_CASE("a stop rule answers each report") {
    const Host host("stop_rule", "plateau", {{"patience", 1}});

    CHECK(host.ask(report("judge", 1, 0.5)) == nlohmann::json{{"stop", false}});
    CHECK(host.ask(report("judge", 2, 0.6)) == nlohmann::json{{"stop", true}});
}
