"""Turns a trial's settings into arguments of the program's own parser."""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from crescendo.protocol import without_point

Problem = Dict[str, str]
Given = Tuple[str, argparse.Action, Any]


class SettingsError(Exception):
    """A setting that the program does not accept."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(message)
        self.setting = setting


class Parameters(argparse.Namespace):
    """Arguments of a program without a parser: the trial's parameters in a sweep, none outside."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"trial.args has no {name}: without a parser it has only the trial's parameters; call "
            "crescendo.torch.run(train, parser), or have train read sys.argv"
        )


def parse(
    parser: Optional[argparse.ArgumentParser], settings: Mapping[str, Any], words: Sequence[str] = ()
) -> argparse.Namespace:
    """Parses the arguments as if `settings` followed `words` on the command line. No word can express None, so a None
    setting is stored as is. Without a parser, all settings become attributes unchanged, and the program reads the words
    itself. Raises SettingsError.

    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--lr", type=float, default=0.1)
    >>> _ = parser.add_argument("--no-cuda", action="store_true")
    >>> parse(parser, {"lr": 0.5}, ["--no-cuda"])
    Namespace(lr=0.5, no_cuda=True)
    """
    own = _chosen(parser, words)[-1]
    if own is None:
        return Parameters(**{name.replace("-", "_"): value for name, value in _flatten(settings, own)})
    args = _parse_words(_chosen(parser, words), command_line(parser, settings, words))
    for name, action, value in _given(own, settings):
        if value is None:
            setattr(args, action.dest, None)  # not the argument's default
        else:
            _require_kept(name, action, value, getattr(args, action.dest, None))
    return args


def command_line(
    parser: Optional[argparse.ArgumentParser], settings: Mapping[str, Any], words: Sequence[str] = ()
) -> List[str]:
    """Returns the words from which `parse` reads the arguments. Without a parser, all settings are options.

    >>> command_line(None, {"batch-size": 64.0, "data": {"test": "t.h5"}})
    ['--batch-size=64', '--data.test=t.h5']
    """
    own = _chosen(parser, words)[-1]
    if own is None:
        return [*words, *(f"--{name}={_text(value)}" for name, value in _flatten(settings, own) if value is not None)]
    options: List[str] = []
    positional: List[str] = []
    for name, action, value in _given(own, settings):
        (options if action.option_strings else positional).extend(_words(name, action, value))
    if positional:
        positional.insert(0, "--")  # otherwise a preceding option with several words would take these too
    return [*words, *options, *positional]


@dataclass
class Arguments:
    """The command line of the program's start; all of its trials use it."""

    parser: Optional[argparse.ArgumentParser] = None
    words: Sequence[str] = ()

    def parse(self, settings: Mapping[str, Any]) -> argparse.Namespace:
        """Parses a trial's arguments. Also sets sys.argv to them, for programs that parse it themselves."""
        args = parse(self.parser, settings, self.words)
        sys.argv[1:] = command_line(self.parser, settings, self.words)
        return args


def check(
    parser: Optional[argparse.ArgumentParser], request: Mapping[str, Any], words: Sequence[str] = ()
) -> List[Problem]:
    """Returns all problems of the settings, tried with each value in the request's `parameters`."""
    parameters: Mapping[str, List[Any]] = request.get("parameters", {})
    given: Mapping[str, Any] = request["settings"]
    settings = {**given, **{name: values[0] for name, values in parameters.items() if values}}
    problems: List[Problem] = []
    own = _chosen(parser, words)[-1]

    known = dict(_flatten(given, own))

    def key_of(name: str) -> str:
        if name in parameters or any(each.startswith(name + ".") for each in parameters if name):
            return "parameters." + name
        return "trainer." + name if name in known else "command"

    def attempt(attempted: Mapping[str, Any]) -> None:
        try:
            parse(parser, _nested(attempted), words)
        except SettingsError as error:
            problem = {"key": key_of(error.setting), "message": str(error)}
            if problem not in problems:
                problems.append(problem)

    if own is not None:
        for name in dict(_flatten(_nested(settings), own)):
            try:
                _find(own, name)  # reports every unknown name, not only the first
            except SettingsError:
                attempt({name: None})
                settings.pop(name, None)
    attempt(settings)
    for name, values in parameters.items():
        if name in settings:
            for value in values[1:]:
                attempt({**settings, name: value})
    return problems


def _chosen(parser: Any, words: Sequence[str]) -> List[Any]:
    """The parser and the parsers of the subcommands in `words`. The last one reads the settings.

    >>> parser = argparse.ArgumentParser()
    >>> fit = parser.add_subparsers().add_parser("fit")
    >>> _chosen(parser, ["--verbose", "fit"]) == [parser, fit]
    True
    """
    for action in parser._actions if parser is not None else ():
        if isinstance(action, argparse._SubParsersAction):
            for place, word in enumerate(words):
                if word in action.choices:
                    return [parser, *_chosen(action.choices[word], words[place + 1 :])]
    return [parser]


def _nested(settings: Mapping[str, Any]) -> Dict[str, Any]:
    """Nests settings as a trial gets them: `optimizer.lr` becomes `lr` in the map `optimizer`.

    >>> _nested({"epochs": 9, "optimizer": {"name": "sgd"}, "optimizer.lr": 0.1})
    {'epochs': 9, 'optimizer': {'name': 'sgd', 'lr': 0.1}}
    """
    nested: Dict[str, Any] = {}
    for name, value in settings.items():
        *path, last = name.split(".")
        place = nested
        for part in path:
            inner = place.get(part)
            place[part] = dict(inner) if isinstance(inner, dict) else {}  # a copy: the settings stay as they are
            place = place[part]
        place[last] = value
    return nested


def _flatten(
    settings: Mapping[str, Any], parser: Optional[argparse.ArgumentParser], prefix: str = ""
) -> Iterator[Tuple[str, Any]]:
    """Flattens maps: `data: {test: x}` is the setting `data.test`, unless the parser has an argument `data` for the
    whole map."""
    for name, value in settings.items():
        if isinstance(value, dict) and (parser is None or _action(parser, prefix + name) is None):
            yield from _flatten(value, parser, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _given(parser: argparse.ArgumentParser, settings: Mapping[str, Any]) -> List[Given]:
    """Pairs each setting with the parser's argument for it. Raises SettingsError for an unknown one."""
    return [(name, _find(parser, name), value) for name, value in dict(_flatten(settings, parser)).items()]


def _known(parser: argparse.ArgumentParser) -> List[argparse.Action]:
    return [action for action in parser._actions if action.dest != "help"]


def _action(parser: argparse.ArgumentParser, name: str) -> Optional[argparse.Action]:
    """Finds an argument by its destination, else by its option (`--lr` with `dest="rate"`)."""
    for action in _known(parser):
        if _is_named(action, name):
            return action
    for action in _known(parser):
        if f"--{name}" in action.option_strings:
            return action
    return None


def _find(parser: argparse.ArgumentParser, name: str) -> argparse.Action:
    known = _known(parser)
    found = _action(parser, name)
    if found is not None:
        return found
    names = [action.dest for action in known]
    close = difflib.get_close_matches(name.replace("-", "_"), names, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise SettingsError(
        name, f"{parser.prog} has no such argument{hint}; it has {', '.join(names) if names else 'none'}"
    )


def _text(value: Any) -> str:
    """A value as text for the command line: whole numbers without a decimal point, whatever the parameter's
    distribution; lists and maps as JSON.

    >>> _text(256.0), _text(0.5), _text(True), _text({"width": 64.0, "name": "sgd"})
    ('256', '0.5', 'True', '{"width":64,"name":"sgd"}')
    """
    if isinstance(value, (dict, list)):
        return json.dumps(_whole(value), separators=(",", ":"), ensure_ascii=False)
    return str(_whole(value))


def _whole(value: Any) -> Any:
    """The value with all whole numbers as integers, also inside lists and maps."""
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return without_point(value)


def _words(name: str, action: argparse.Action, value: Any) -> List[str]:
    """The command-line words that give the argument this value."""
    if value is None:
        return []
    if not action.option_strings:
        return [_text(each) for each in value] if isinstance(value, list) else [_text(value)]
    if action.nargs == 0:
        return _flag(name, action, value)
    if isinstance(value, list) and action.nargs is not None:
        return [action.option_strings[-1], *map(_text, value)]
    option = action.option_strings[-1]
    texts = [_text(each) for each in (value if _is_repeated(action, value) else [value])]
    pairs = [[f"{option}={text}"] if option.startswith("--") else [option, text] for text in texts]
    return [word for pair in pairs for word in pair]


def _is_repeated(action: argparse.Action, value: Any) -> bool:
    """Whether the option is repeated for each value of the list."""
    return isinstance(value, list) and isinstance(action, argparse._AppendAction)


def _flag(name: str, action: argparse.Action, value: Any) -> List[str]:
    """The word of a flag, or none if leaving out the flag means this value. Raises SettingsError."""
    word = action.option_strings[:1]
    if not isinstance(value, bool):
        is_constant = action.const is not None and not isinstance(action.const, bool)
        if is_constant and value in (action.const, action.default):
            return word if value == action.const else []
        raise SettingsError(name, f"is {value!r}; it is a flag: use true or false")
    meant = value != _says_opposite(name, action)
    if action.const is False:
        return [] if meant else word
    if meant:
        return word
    negative = [option for option in action.option_strings if option.startswith("--no-")]
    return negative[:1] if len(negative) < len(action.option_strings) else []


def _require_kept(name: str, action: argparse.Action, value: Any, got: Any) -> None:
    """Refuses a boolean that the parser inverts: all trials would train with the same value. Raises SettingsError."""
    meant = False if action.type is bool and _text(value).lower() in ("0", "no", "off") else value
    if not isinstance(meant, bool) or not isinstance(got, bool) or got == (meant != _says_opposite(name, action)):
        return
    if action.nargs == 0:
        raise SettingsError(
            name,
            f"is {value}, but the program would train with {got}, which is the argument's default or set in the "
            "command, and no option can change it; give the argument action=argparse.BooleanOptionalAction",
        )
    raise SettingsError(
        name,
        f"is {value}, but the program's parser turns it into {got}, as type=bool does with every word; give the "
        "argument action='store_true' or action=argparse.BooleanOptionalAction",
    )


def _says_opposite(name: str, action: argparse.Action) -> bool:
    """Whether setting the flag of this name makes its destination false: `no-cuda` with dest="cuda"."""
    is_negative = isinstance(action, argparse.BooleanOptionalAction) and name.startswith("no-")
    return action.nargs == 0 and (action.const is False or is_negative) and not _is_named(action, name)


def _is_named(action: argparse.Action, name: str) -> bool:
    return action.dest == name.replace("-", "_")


class _Refused(Exception):
    pass


def _parse_words(parsers: List[argparse.ArgumentParser], words: List[str]) -> argparse.Namespace:
    """Parses the words. `parsers` are the program's own and those of the subcommands in the words. Raises
    SettingsError."""

    def refuse(message: str) -> Any:
        raise _Refused(message)

    for parser in parsers:
        parser.error = refuse  # type: ignore[method-assign]
    try:
        return parsers[0].parse_args(words)
    except (_Refused, argparse.ArgumentError) as error:  # the latter with exit_on_error=False
        message = str(error)
    finally:
        for parser in parsers:
            del parser.error
    # Messages look like "argument --lr: invalid float value: 'fast'".
    found = re.match(r"argument (\S+?)[/:]", message)
    actions = [action for parser in parsers for action in parser._actions]
    names = [a.dest for a in actions if found and found.group(1).rstrip(":") in (*a.option_strings, a.dest)]
    raise SettingsError(names[0] if names else "", message.split(": ", 1)[1] if names else message)
