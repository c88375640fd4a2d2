#!/usr/bin/env python3
"""Tunes Hugging Face's Trainer. Only `Report` and the lines with `trial` are for Crescendo."""

import argparse
from pathlib import Path

import torch
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments,
                          set_seed)

import crescendo


class Report(TrainerCallback):
    """Reports when an epoch is evaluated and saved, and ends the training when the trial must stop."""

    def __init__(self, trial):
        self.trial = trial

    def on_train_begin(self, args, state, control, **_):
        if state.global_step > 0:  # from a checkpoint
            self.trial.resumed(round(state.epoch), **self.evaluation(state))

    def on_save(self, args, state, control, **_):
        self.trial.report(self.evaluation(state), resource=round(state.epoch))
        control.should_training_stop |= self.trial.stopped  # an EarlyStoppingCallback may have set it

    @staticmethod
    def evaluation(state):
        """Returns the last one: eval_loss and the results of compute_metrics."""
        return next(entry for entry in reversed(state.log_history) if "eval_loss" in entry)


class Sentences(Dataset):
    """Sentences of 16 words. About half have most words from the second half of the vocabulary."""

    def __init__(self, count, seed):
        self.words = torch.randint(100, (count, 16), generator=torch.Generator().manual_seed(seed))

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": int((self.words[i] >= 50).sum() > 8)}


def last_checkpoint(folder):
    """Returns the last complete one, or None. The Trainer writes trainer_state.json last."""
    whole = [str(path.parent) for path in Path(folder).glob("checkpoint-*/trainer_state.json")]
    return max(whole, key=lambda path: int(path.rpartition("-")[2]), default=None)


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--layers", type=int, default=1)
args = parser.parse_args()

trial = crescendo.trial()
folder = str(trial.directory or "with_transformers")
set_seed(trial.seed)  # the Trainer seeds only after the model is made
config = BertConfig(vocab_size=100, hidden_size=32, intermediate_size=64, num_attention_heads=2,
                    num_hidden_layers=args.layers)
trainer = Trainer(
    model=BertForSequenceClassification(config),
    args=TrainingArguments(output_dir=folder, learning_rate=args.lr, num_train_epochs=trial.max_resource or 9,
                           per_device_train_batch_size=32, eval_strategy="epoch", save_strategy="epoch",
                           save_total_limit=1, seed=trial.seed, report_to="none", disable_tqdm=True,
                           # For several workers: otherwise each trains alone on CPUs, and eval_loss is their sum.
                           use_cpu=not torch.cuda.is_available(), average_tokens_across_devices=False),
    train_dataset=Sentences(1000, seed=1), eval_dataset=Sentences(500, seed=2),
    compute_metrics=lambda predicted: {"accuracy": (predicted[0].argmax(-1) == predicted[1]).mean()},
    callbacks=[Report(trial)])
trainer.train(resume_from_checkpoint=last_checkpoint(folder) if trial.directory else None)
