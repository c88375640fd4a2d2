"""The store through which the members of a group find each other; crescendo serves it over the control channel."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any, List, Optional, Sequence, Union

from torch.distributed import Store

from crescendo.protocol import Channel, Message


def _encode(value: Union[bytes, str]) -> str:
    return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()


class ControlStore(Store):
    """A torch store whose keys crescendo keeps, one set per (trial, generation). So it needs no listening port and no
    shared file. Any thread may use it. Requests that wait raise the channel's exceptions."""

    def __init__(self, channel: Channel, trial: int, generation: int, timeout: timedelta) -> None:
        super().__init__()
        self._channel = channel
        self._place = {"trial": trial, "generation": generation}
        self._timeout = timeout

    def set(self, key: str, value: Union[bytes, str]) -> None:
        self._channel.request_unanswered(op="set", key=key, value=_encode(value), **self._place)

    def get(self, key: str) -> bytes:
        return self.multi_get([key])[0]

    def add(self, key: str, delta: int) -> int:
        return int(self._request("add", key=key, delta=delta)["number"])

    def wait(self, keys: Sequence[str], timeout: Optional[timedelta] = None) -> None:
        """Waits for the keys, up to the group's time-out. Ignores `timeout`: Gloo passes its time-out for connections,
        but members may take longer to arrive."""
        self._request("wait", keys=list(keys))

    def check(self, keys: Sequence[str]) -> bool:
        return bool(self._request("check", keys=list(keys))["found"])

    def delete_key(self, key: str) -> bool:
        return bool(self._request("delete", key=key)["found"])

    def compare_set(self, key: str, expected: Union[bytes, str], desired: Union[bytes, str]) -> bytes:
        answer = self._request("compare_set", key=key, expected=_encode(expected), value=_encode(desired))
        return base64.b64decode(answer["value"])

    def multi_get(self, keys: Sequence[str]) -> List[bytes]:
        """Returns the values once all keys exist. Sends all requests at once."""
        answers = self._request_all([{"op": "get", "key": key} for key in keys])
        return [
            base64.b64decode(each["value"]) if "value" in each else str(each["number"]).encode() for each in answers
        ]

    def num_keys(self) -> int:
        raise NotImplementedError("the control channel's store does not count keys")

    def _request(self, op: str, **content: Any) -> Message:
        return self._request_all([{"op": op, **content}])[0]

    def _request_all(self, requests: List[Message]) -> List[Message]:
        placed = [{**each, **self._place} for each in requests]
        answers = self._channel.request_all(self._timeout.total_seconds(), placed)
        for request, answer in zip(requests, answers):
            if "error" in answer:
                raise RuntimeError(f"the store refuses {request['op']}: {json.dumps(answer['error'])}")
        return answers
