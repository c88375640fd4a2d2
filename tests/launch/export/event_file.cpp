#include "launch/export/event_file.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace crescendo::launch;

TEST_CASE("fields of a message have their number, their type and their value") {
    Protobuf message;
    message.integer(1, 300).text(2, "hi").number(3, 1.0F).number(4, 1.0).message(5, Protobuf().integer(1, 0));

    using namespace std::string_literals;
    CHECK(message.bytes() == "\x08\xac\x02"s + "\x12\x02hi"s + "\x1d\x00\x00\x80\x3f"s +
                                 "\x21\x00\x00\x00\x00\x00\x00\xf0\x3f"s + "\x2a\x02\x08\x00"s);
}

TEST_CASE("a record has its length, its bytes, and the checksums of both") {
    const EventFile file(0);

    // An event with the date 0 and the version: 9 + 15 bytes. The checksums are those of TensorBoard's own writer.
    using namespace std::string_literals;
    const auto bytes = file.bytes();
    REQUIRE(bytes.size() == 8 + 4 + 24 + 4);
    CHECK(bytes.substr(0, 8) == "\x18\0\0\0\0\0\0\0"s);
    CHECK(bytes.substr(12, 9) == "\x09\0\0\0\0\0\0\0\0"s);
    CHECK(bytes.substr(21, 15) == "\x1a\x0d" "brain.Event:2"s);
    CHECK(bytes.substr(8, 4) == "\xa3\x7f\x4b\x22"s);
}

TEST_CASE("new events follow the existing ones") {
    EventFile file(1);
    file.add_scalars(2, 1, {{"loss", 0.5}});
    const auto before = file.bytes();

    file.add_scalars(3, 2, {{"loss", 0.25}});

    CHECK(file.bytes().starts_with(before));
}
