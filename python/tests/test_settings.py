"""A trial's settings as arguments of the program's own parser."""

import argparse
import json
import sys
import unittest
from unittest import mock

from crescendo.torch import settings


class SettingsTest(unittest.TestCase):
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--no-cuda", action="store_true")
    parser.add_argument("--mixed", action=argparse.BooleanOptionalAction)
    parser.add_argument("--data.test")
    parser.add_argument("--layers", type=int, nargs="*")
    parser.add_argument("--kind", choices=["a", "b"])

    def test_settings_become_arguments(self):
        given = {"lr": 1e-3, "batch-size": 8, "no-cuda": True, "mixed": False, "data": {"test": "t"}, "layers": [1, 2]}
        args = vars(settings.parse(self.parser, given))

        self.assertEqual((args["lr"], args["batch_size"], args["no_cuda"], args["mixed"]), (1e-3, 8, True, False))
        self.assertEqual((args["data.test"], args["layers"], args["kind"]), ("t", [1, 2], None))

    def test_an_option_of_several_words_takes_none_of_a_positional_argument(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("data")
        parser.add_argument("shift", type=int)
        parser.add_argument("--layers", type=int, nargs="+")
        args = settings.parse(parser, {"shift": -1, "layers": [64, 32]}, ["set.h5"])

        self.assertEqual((args.data, args.shift, args.layers), ("set.h5", -1, [64, 32]))

    def test_a_list_is_given_word_by_word_to_an_option_that_appends(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--layer", type=int, action="append")
        parser.add_argument("-w", dest="width", type=int, action="append")
        parser.add_argument("--sizes", type=int, nargs="+", action="extend")
        args = settings.parse(parser, {"layer": [64.0, -1], "width": [1, 2], "sizes": [3, 4]})

        self.assertEqual((args.layer, args.width, args.sizes), ([64, -1], [1, 2], [3, 4]))
        self.assertEqual(settings.parse(parser, {"layer": 64}).layer, [64])

    def test_the_arguments_of_the_subcommand_that_the_command_names_are_known(self):
        parser = argparse.ArgumentParser(prog="main.py")
        parser.add_argument("--verbose", action="store_true")
        commands = parser.add_subparsers(dest="command", required=True)
        fit = commands.add_parser("fit")
        fit.add_argument("--lr", type=float, required=True)
        commands.add_parser("test")
        request = {"settings": {}, "parameters": {"lr": [0.1, "fast"], "width": [3]}}
        args = settings.parse(parser, {"lr": 0.5}, ["--verbose", "fit"])

        self.assertEqual((args.verbose, args.command, args.lr), (True, "fit", 0.5))
        problems = {each["key"]: each["message"] for each in settings.check(parser, request, ["fit"])}
        self.assertEqual(problems["parameters.lr"], "invalid float value: 'fast'")
        self.assertIn("main.py fit has no such argument; it has lr", problems["parameters.width"])
        (problem,) = settings.check(parser, {"settings": {}}, ["fit"])
        self.assertIn("required: --lr", problem["message"])
        (problem,) = settings.check(parser, {"settings": {"lr": 0.5}}, [])[:1]
        self.assertIn("main.py has no such argument; it has verbose, command", problem["message"])

    def test_a_parser_that_does_not_exit_is_checked_as_others_are(self):
        parser = argparse.ArgumentParser(exit_on_error=False)
        parser.add_argument("--lr", type=float)

        self.assertEqual(
            settings.check(parser, {"settings": {"lr": "fast"}}),
            [{"key": "trainer.lr", "message": "invalid float value: 'fast'"}],
        )

    def test_a_flag_gives_its_destination_the_value_that_is_asked_for(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-augment", dest="augment", action="store_false")
        parser.add_argument("--half", dest="precision", action="store_const", const="fp16", default="fp32")

        self.assertEqual([settings.parse(parser, {"augment": each}).augment for each in (True, False)], [True, False])
        for precision in ("fp16", "fp32"):
            self.assertEqual(settings.parse(parser, {"precision": precision}).precision, precision)
        (problem,) = settings.check(parser, {"settings": {"precision": "bf16"}})
        self.assertIn("it is a flag", problem["message"])

    def test_a_boolean_that_the_parser_turns_into_the_other_one_is_refused(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--nesterov", type=bool)
        parser.add_argument("--amsgrad", action="store_true", default=True)

        self.assertTrue(settings.parse(parser, {"nesterov": True, "amsgrad": True}).nesterov)
        for value in (False, 0, 0.0, "off"):  # bool("False") is True
            with self.assertRaisesRegex(settings.SettingsError, "turns it into True, as type=bool does.*'store_true'"):
                settings.parse(parser, {"nesterov": value})
        (problem,) = settings.check(parser, {"settings": {}, "parameters": {"nesterov": [True, False]}})
        self.assertEqual(problem["key"], "parameters.nesterov")
        with self.assertRaisesRegex(settings.SettingsError, "would train with True, .*BooleanOptionalAction"):
            settings.parse(parser, {"amsgrad": False})

    def test_booleans_are_kept_by_types_that_read_them_and_by_flags_that_say_the_opposite(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--nesterov", type=lambda text: text == "True")
        parser.add_argument("--no-cuda", dest="cuda", action="store_false")
        parser.add_argument("--mixed", action=argparse.BooleanOptionalAction, default=True)
        request = {name: [True, False] for name in ("nesterov", "no-cuda", "no-mixed")}

        self.assertEqual(settings.check(parser, {"settings": {}, "parameters": request}), [])

    def test_null_is_none_and_not_the_default(self):
        args = settings.parse(self.parser, {"lr": 0.1, "batch_size": None})

        self.assertIsNone(args.batch_size)
        self.assertEqual(settings.parse(self.parser, {"lr": 0.1}).batch_size, 64)

    def test_a_whole_number_of_a_range_of_numbers_is_one_for_an_argument_that_takes_whole_ones(self):
        args = settings.parse(self.parser, {"lr": 1.0, "batch-size": 256.0, "layers": [4.0]})

        self.assertEqual((args.lr, args.batch_size, args.layers), (1.0, 256, [4]))
        with self.assertRaisesRegex(settings.SettingsError, "invalid int value: '256.5'"):
            settings.parse(self.parser, {"lr": 1, "batch-size": 256.5})

    def test_maps_and_lists_are_json_for_an_argument_that_takes_one_word(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--optimizer", type=json.loads)
        parser.add_argument("--sizes", type=json.loads)

        args = settings.parse(parser, {"optimizer": {"name": "sgd", "lr": 0.1, "warmup": 3.0}, "sizes": [64.0, 32]})

        self.assertEqual(args.optimizer, {"name": "sgd", "lr": 0.1, "warmup": 3})
        self.assertIsInstance(args.optimizer["warmup"], int)
        self.assertEqual(args.sizes, [64, 32])

    def test_parameters_that_a_map_holds_are_checked_as_the_map(self):
        parser = argparse.ArgumentParser(prog="train.py")
        parser.add_argument("--optimizer", type=json.loads)
        parameters = {"optimizer.lr": [0.1, 0.2], "optimizer.name": ["sgd"]}

        self.assertEqual(settings.check(parser, {"settings": {}, "parameters": parameters}), [])
        (problem,) = settings.check(parser, {"settings": {}, "parameters": {"model.width": [3]}})
        self.assertEqual(problem["key"], "parameters.model.width")
        parser = argparse.ArgumentParser()
        parser.add_argument("--optimizer", type=int)
        problem = settings.check(parser, {"settings": {}, "parameters": parameters})[0]
        self.assertEqual(problem["key"], "parameters.optimizer")

    def test_an_argument_is_found_by_its_option_too(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--learning-rate", "--optimizer.lr", dest="lr", type=float)
        parser.add_argument("--no-cuda", dest="cuda", action="store_false")

        self.assertEqual(settings.parse(parser, {"learning-rate": 0.5}).lr, 0.5)
        self.assertEqual(settings.parse(parser, {"optimizer": {"lr": 0.25}}).lr, 0.25)
        parser.add_argument("--mixed", action=argparse.BooleanOptionalAction)
        self.assertEqual([settings.parse(parser, {"no-cuda": each}).cuda for each in (True, False)], [False, True])
        self.assertEqual([settings.parse(parser, {"no-mixed": each}).mixed for each in (True, False)], [False, True])

    def test_a_parameter_comes_behind_the_words_of_the_command(self):
        arguments = settings.Arguments(self.parser, ["--lr=0.5", "--batch-size", "8"])

        with mock.patch.object(sys, "argv", ["train.py", "--lr=0.5"]) as argv:
            args = arguments.parse({"lr": 0.1})

        self.assertEqual((args.lr, args.batch_size), (0.1, 8))
        self.assertEqual(argv, ["train.py", "--lr=0.5", "--batch-size", "8", "--lr=0.1"])
        self.assertEqual(settings.check(self.parser, {"settings": {}}, ["--lr=0.5"]), [])
        (problem,) = settings.check(self.parser, {"settings": {}}, ["--lr=0.5", "--widht=3"])
        self.assertEqual(problem, {"key": "command", "message": "unrecognized arguments: --widht=3"})

    def test_the_check_names_every_mistake_and_its_key(self):
        request = {
            "settings": {"widht": 3, "batch_siez": 8, "kind": "c", "no-cuda": 3},
            "parameters": {"lr": [0.1, "fast"]},
        }
        found = {problem["key"]: problem["message"] for problem in settings.check(self.parser, request)}

        self.assertIn("has no such argument (did you mean batch_size?); it has lr,", found["trainer.batch_siez"])
        self.assertIn("train.py has no such argument; it has lr,", found["trainer.widht"])
        request["settings"] = {"kind": "c"}
        (problem,) = settings.check(self.parser, request)[:1]
        self.assertEqual(problem["key"], "trainer.kind")
        request["settings"] = {}
        self.assertEqual(
            settings.check(self.parser, request),
            [{"key": "parameters.lr", "message": "invalid float value: 'fast'"}],
        )
        self.assertIn("required: --lr", settings.check(self.parser, {"settings": {}})[0]["message"])

    def test_without_a_parser_settings_are_taken_as_they_are(self):
        self.assertEqual(settings.parse(None, {"batch-size": 3}).batch_size, 3)
        self.assertEqual(settings.check(None, {"settings": {"anything": 1}, "parameters": {}}), [])

    def test_words_of_a_program_that_has_no_parser_are_its_own_to_read(self):
        arguments = settings.Arguments(None, ["data.size=64"])
        with mock.patch.object(sys, "argv", ["train.py"]):
            args = arguments.parse({"lr": 0.5})

            self.assertEqual((sys.argv[1:], vars(args)), (["data.size=64", "--lr=0.5"], {"lr": 0.5}))
        self.assertEqual(settings.check(None, {"settings": {"lr": 0.5}}, ["data.size=64"]), [])
        with self.assertRaisesRegex(AttributeError, "trial.args has no size.*run.train, parser.*sys.argv"):
            args.size


if __name__ == "__main__":
    unittest.main()
