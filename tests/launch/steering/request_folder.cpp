#include "launch/steering/request_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "core/check.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/files/read_file.hpp"
#include "tests/contains.hpp"
#include "tests/e2e/small_disk.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;
using crescendo::tests::SmallDisk;
using crescendo::tests::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

struct InboxFixture {
    InboxFixture() { fs::create_directory(path()); }
    fs::path path() const { return folder / "requests"; }
    fs::path file(const std::string& name) const { return path() / (name + ".request"); }
    void write(const std::string& name, const std::string& content) const { std::ofstream(file(name)) << content; }

    /// The reason why the only request in the folder is refused; empty if it is accepted.
    std::string refusal() const {
        RequestInbox inbox(path());
        const auto arrived = inbox.next();
        REQUIRE(arrived);
        CHECK(arrived->request.has_value() == arrived->refusal.empty());
        return arrived->refusal;
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("requests arrive in the order in which they were sent, and each gets its own answer") {
    const InboxFixture fixture;
    const SentRequest first(fixture.path(), StopRequest{TrialId{1}});
    const SentRequest second(fixture.path(), StopRequest{TrialId{2}});
    RequestInbox inbox(fixture.path());

    for (const auto* sent : {&first, &second}) {
        const auto arrived = inbox.next();
        REQUIRE(arrived);
        CHECK(arrived->name == sent->name());
        CHECK_FALSE(sent->take_answer());
        inbox.answer(arrived->name, {sent == &first, sent->name()});
    }

    CHECK_FALSE(inbox.next());
    for (const auto* sent : {&second, &first}) {
        const auto answer = sent->take_answer();
        REQUIRE(answer);
        CHECK(answer->is_accepted == (sent == &first));
        CHECK(answer->text == sent->name());
    }
    CHECK(fs::is_empty(fixture.path()));
}

TEST_CASE("a withdrawn request does not arrive") {
    const InboxFixture fixture;
    const SentRequest sent(fixture.path(), StopRequest{TrialId{1}});

    CHECK(sent.withdraw());

    CHECK_FALSE(sent.withdraw());
    CHECK_FALSE(RequestInbox(fixture.path()).next());
}

TEST_CASE("a request that is withdrawn while an earlier one is answered does not arrive") {
    const InboxFixture fixture;
    const SentRequest first(fixture.path(), StopRequest{TrialId{1}});
    const SentRequest second(fixture.path(), StopRequest{TrialId{2}});
    RequestInbox inbox(fixture.path());

    REQUIRE(inbox.next());
    REQUIRE(second.withdraw());

    CHECK_FALSE(inbox.next());
}

TEST_CASE("a missing folder holds no requests") {
    const InboxFixture fixture;
    CHECK_FALSE(RequestInbox(fixture.path() / "none").next());
}

TEST_CASE("a request that is damaged, or cut off at any byte, is refused") {
    const InboxFixture fixture;
    const SentRequest sent(fixture.path(), NoteRequest{TrialId{1}, "text"});
    const auto whole = read_file(fixture.file(sent.name()));
    REQUIRE(fixture.refusal().empty());

    for (std::size_t length = 0; length + 1 < whole.size(); ++length) {  // the last byte ends the line
        CAPTURE(length);
        fixture.write(sent.name(), whole.substr(0, length));
        CHECK(contains(fixture.refusal(), "it is incomplete or not a request; send it again"));
    }
    auto damaged = whole;
    damaged.replace(damaged.find("text\""), 4, "test");
    fixture.write(sent.name(), damaged);
    CHECK(contains(fixture.refusal(), "its checksum does not match"));
}

TEST_CASE("a request from another version is refused, and the message says what to use instead") {
    const InboxFixture fixture;
    fixture.write("1", R"({"crc":"0","request":{"ask":"stop","trial":1},"version":2})");
    CHECK(contains(fixture.refusal(), "another version of crescendo; use the one that runs the sweep"));
}

TEST_CASE("a request from another user is refused") {
    if (::geteuid() != 0) {
        MESSAGE("not tried: only root can give a file to another user");
        return;
    }
    const InboxFixture fixture;
    const SentRequest sent(fixture.path(), StopRequest{TrialId{1}});
    REQUIRE(::chown(fixture.file(sent.name()).c_str(), 12345, 12345) == 0);

    CHECK(contains(fixture.refusal(), "it belongs to user 12345, but the sweep runs as user 0"));
}

TEST_CASE("a user who may not steer a sweep gets an error at once, and a folder of theirs keeps nobody out") {
    if (::geteuid() != 0) {
        MESSAGE("not tried: only root can give a folder to another user");
        return;
    }
    const InboxFixture fixture;
    for (const bool has_request : {false, true}) {
        fs::remove_all(fixture.path());
        fs::create_directory(fixture.path());
        if (has_request) {
            fixture.write("1", "{}");
        }
        REQUIRE(::chown(fixture.path().c_str(), 12345, 12345) == 0);
        CHECK_THROWS_WITH_AS(SentRequest(fixture.path(), StopRequest{TrialId{1}}),
                             doctest::Contains("only the user who runs a sweep may steer it"), InvalidInput);

        RequestInbox inbox(fixture.path());

        const SentRequest sent(fixture.path(), StopRequest{TrialId{1}});
        const auto arrived = inbox.next();
        REQUIRE(arrived);
        CHECK(arrived->name == sent.name());
    }
}

TEST_CASE("a request that is not a regular file of moderate size is refused without waiting for it") {
    const std::vector<std::pair<std::string, std::function<void(const InboxFixture&)>>> cases{
        {"cannot be read", [](const InboxFixture& fixture) { fs::create_symlink("/etc/passwd", fixture.file("1")); }},
        {"not a regular file",
         [](const InboxFixture& fixture) { REQUIRE(::mkfifo(fixture.file("1").c_str(), 0600) == 0); }},
        {"not a regular file", [](const InboxFixture& fixture) { fs::create_directory(fixture.file("1")); }},
        {"a request has at most 65536",
         [](const InboxFixture& fixture) { fixture.write("1", std::string(65537, ' ')); }},
    };

    for (const auto& [message, make] : cases) {
        const InboxFixture fixture;
        make(fixture);
        CHECK_MESSAGE(contains(fixture.refusal(), message), message);

        RequestInbox inbox(fixture.path());
        inbox.answer(inbox.next()->name, {});
        CHECK_FALSE(fs::exists(fs::symlink_status(fixture.file("1"))));
    }
}

TEST_CASE("the next session removes answers that nobody took") {
    const InboxFixture fixture;
    {
        RequestInbox inbox(fixture.path());
        inbox.answer("1", {true, "done"});
    }
    CHECK_FALSE(fs::is_empty(fixture.path()));

    const RequestInbox next(fixture.path());

    CHECK(fs::is_empty(fixture.path()));
}

TEST_CASE("a command does not wait for an answer that a later session has removed") {
    const InboxFixture fixture;
    const auto directory = SweepDirectory::create(fixture.folder / "s", "", {});
    const SentRequest sent(directory.requests(), StopRequest{TrialId{1}});
    RequestInbox session(directory.requests());
    session.answer(session.next()->name, {true, "trial 1 stops"});
    const RequestInbox next_session(directory.requests());

    CHECK_THROWS_WITH_AS(await_answer(sent, directory, std::chrono::seconds(0)),
                         doctest::Contains("took the request, but its answer is lost"), InvalidInput);
}

TEST_CASE("a request that no session takes is withdrawn and does not arrive later") {
    const InboxFixture fixture;
    const auto directory = SweepDirectory::create(fixture.folder / "s", "", {});
    const SentRequest sent(directory.requests(), StopRequest{TrialId{1}});

    CHECK_FALSE(await_answer(sent, directory, std::chrono::seconds(0)));

    CHECK_FALSE(RequestInbox(directory.requests()).next());
}

TEST_CASE("a request that a session at work does not answer in time is withdrawn with an error") {
    const InboxFixture fixture;
    const auto directory = SweepDirectory::create(fixture.folder / "s", "", {});
    const SweepLock session(directory);
    const SentRequest sent(directory.requests(), StopRequest{TrialId{1}});

    CHECK_THROWS_WITH_AS(await_answer(sent, directory, std::chrono::seconds(0)),
                         doctest::Contains("did not answer within 0 s, so the request was withdrawn"), InvalidInput);

    CHECK_FALSE(RequestInbox(directory.requests()).next());
}

TEST_CASE("an answer that exists is taken, however late") {
    const InboxFixture fixture;
    const auto directory = SweepDirectory::create(fixture.folder / "s", "", {});
    const SentRequest sent(directory.requests(), StopRequest{TrialId{1}});
    RequestInbox session(directory.requests());
    session.answer(session.next()->name, {true, "trial 1 stops"});

    const auto answer = await_answer(sent, directory, std::chrono::seconds(0));

    REQUIRE(answer);
    CHECK(answer->text == "trial 1 stops");
}

TEST_CASE("a request and its answer arrive, whatever bytes they contain") {
    const InboxFixture fixture;
    const SentRequest sent(fixture.path(), NoteRequest{TrialId{1}, "caf\xE9"});
    RequestInbox inbox(fixture.path());

    const auto arrived = inbox.next();
    REQUIRE(arrived);
    CHECK_MESSAGE(arrived->request, arrived->refusal);
    inbox.answer(arrived->name, {false, "caf\xE9: no"});

    const auto answer = sent.take_answer();
    REQUIRE(answer);
    CHECK(answer->text == "caf\xEF\xBF\xBD: no");
}

TEST_CASE("a request that cannot be written reports the reason and leaves no file") {
    const SmallDisk disk("size=64k");
    if (!disk) {
        return;
    }
    const auto path = disk.path() / "requests";
    fs::create_directory(path);
    disk.fill();

    CHECK_THROWS_WITH_AS(SentRequest(path, StopRequest{TrialId{1}}),
                         doctest::Contains("cannot be written (No space left on device)"), InvalidInput);

    CHECK(fs::is_empty(path));
}
