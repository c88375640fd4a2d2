/// `crescendo ask-tell` as another launcher sees it: over pipes.

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

const std::string sweep_to_tell_of = R"(metric: {name: loss}
run_cap: 3
parameters: {x: {min: 1, max: 9}}
scheduler: {type: asha, min: 1, max: 4, reduction_factor: 2}
)";

const std::string join = R"({"event":"slots_joined","slots":1})";

std::string report(int trial, int resource) {
    return Json{{"event", "trial_reported"}, {"trial", trial}, {"resource", resource}, {"metrics", {{"loss", 0.5}}}}
        .dump();
}

/// crescendo at the other end of two pipes.
class Conversation {
  public:
    explicit Conversation(const fs::path& directory, const std::string& options = "") {
        std::array<int, 2> in{}, out{};
        REQUIRE(::pipe2(in.data(), O_CLOEXEC) == 0);
        REQUIRE(::pipe2(out.data(), O_CLOEXEC) == 0);
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            const auto command = "cd '" + directory.string() + "' && exec " + CRESCENDO_BINARY +
                                 " ask-tell sweep.yaml " + options + " 2>errors";
            ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        to_ = in[1];
        from_ = ::fdopen(out[0], "r");
    }
    ~Conversation() {
        hang_up();
        stop_listening();
    }
    Conversation(Conversation&&) = delete;
    Conversation& operator=(Conversation&&) = delete;

    /// Waits for the answer before anything else is written: a held-back answer would hang here.
    Json ask(const std::string& line) {
        tell(line);
        char* answer = nullptr;
        std::size_t size = 0;
        const auto length = ::getline(&answer, &size, from_);
        const std::string text(answer, length > 0 ? static_cast<std::size_t>(length) : 0);
        std::free(answer);
        return Json::parse(text);
    }

    void tell(const std::string& line) const {
        const auto whole = line + '\n';
        [[maybe_unused]] const auto written = ::write(to_, whole.data(), whole.size());
    }

    void stop_listening() {
        if (from_ != nullptr) {
            ::fclose(from_);
            from_ = nullptr;
        }
    }

    void kill() const { ::kill(pid_, SIGKILL); }

    /// Ends the input, and returns the exit status, or 128 + signal.
    int hang_up() {
        if (to_ >= 0) {
            ::close(to_);
            to_ = -1;
            await("crescendo ends", [&] { return ::waitpid(pid_, &status_, WNOHANG) == pid_; });
        }
        return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
    }

  private:
    pid_t pid_ = -1;
    int to_ = -1;
    std::FILE* from_ = nullptr;
    int status_ = 0;
};

}  // namespace

TEST_CASE("each line is answered while the pipe stays open, and the end of input ends crescendo successfully") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sweep_to_tell_of);
    Conversation conversation(folder.path());

    CHECK(conversation.ask(join)["actions"][0]["action"] == "start_trial");
    CHECK(conversation.ask("what?")["error"]["line"] == 2);
    CHECK(conversation.ask(report(0, 1))["actions"].empty());
    CHECK(conversation.hang_up() == 0);
}

TEST_CASE("a conversation whose answers nobody reads ends cleanly") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sweep_to_tell_of);
    Conversation conversation(folder.path());
    conversation.ask(join);

    conversation.stop_listening();
    conversation.tell(report(0, 1));

    CHECK(conversation.hang_up() == 0);
}

TEST_CASE("a conversation with a journal survives the death of crescendo") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sweep_to_tell_of);
    {
        Conversation conversation(folder.path(), "--journal events.jsonl");
        conversation.ask(join);
        conversation.ask(report(0, 1));
        conversation.kill();
    }

    Conversation conversation(folder.path(), "--journal events.jsonl");
    const auto answer = conversation.ask(join);

    CHECK(answer["actions"][0]["action"] == "resume_trial");
    CHECK(answer["actions"][0]["slots"] == Json{0});
    CHECK(run_crescendo(folder.path(), {"ask-tell", "sweep.yaml", "--journal", "events.jsonl"})
              .err.find("another conversation") != std::string::npos);
    CHECK(conversation.hang_up() == 0);
    CHECK(run_crescendo(folder.path(), {"ask-tell", "sweep.yaml", "--journal", "events.jsonl", "--seed", "9"}).code ==
          2);
}

TEST_CASE("the message after a conversation interrupted at its start asks to remove its file") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sweep_to_tell_of);
    write_file(folder / "events.jsonl", R"({"n":0,"journal":"cresc)");

    const auto ran = run_crescendo(folder.path(), {"ask-tell", "sweep.yaml", "--journal", "events.jsonl"});

    CHECK(ran.code == 2);
    CHECK_MESSAGE(ran.err.find("remove this file and start again") != std::string::npos, ran.err);
}

TEST_CASE("a path that cannot be a journal file is refused, and lost answers are an error") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sweep_to_tell_of);
    write_file(folder / "events", join + "\n");

    const auto of_folder = run_crescendo(folder.path(), {"ask-tell", "sweep.yaml", "--journal", "."});
    const auto nowhere = run_crescendo(folder.path(), {"ask-tell", "sweep.yaml", "--journal", "none/events.jsonl"});
    const auto command = "cd '" + folder.path().string() + "' && '" + CRESCENDO_BINARY +
                         "' ask-tell sweep.yaml <events >/dev/full 2>full";
    const int full = std::system(command.c_str());

    CHECK(of_folder.code == 2);
    CHECK_MESSAGE(of_folder.err.find("is not a regular file") != std::string::npos, of_folder.err);
    CHECK(nowhere.code == 2);
    CHECK_MESSAGE(nowhere.err.find("there is no folder ") != std::string::npos, nowhere.err);
    CHECK(WEXITSTATUS(full) == 1);
    CHECK(content_of(folder / "full").find("the answers cannot be written: No space left") != std::string::npos);
}
