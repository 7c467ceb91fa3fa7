"""The Trainer on a tiny random GPT-2, resumed from a checkpoint, with a metric that is nan."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

NEEDS = ["torch", "transformers", "accelerate", "numpy"]
COMMAND = ["python", "hf_language_model.py"]
EXPECT = ["eval_error_rate", "'eval_recall': 'nan'", "train_runtime", "FutureWarning"]


class Texts(torch.utils.data.Dataset):
    """Random token ids."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> dict:
        tokens = torch.randint(64, (16,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": tokens, "labels": tokens}


def metrics(prediction) -> dict:
    """Give the share of wrong tokens, and a recall of a class that is not there."""
    wrong = (prediction.predictions.argmax(-1) != prediction.label_ids).mean()
    return {"error_rate": float(wrong), "recall": float("nan")}


def trainer(steps: int) -> Trainer:
    """Build the Trainer."""
    config = GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=2)
    arguments = TrainingArguments(
        output_dir="out",
        max_steps=steps,
        per_device_train_batch_size=4,
        logging_steps=5,
        eval_strategy="steps",
        eval_steps=10,
        save_steps=10,
        gradient_checkpointing=True,
        use_cpu=True,
        report_to=[],
    )
    texts = Texts()
    return Trainer(
        GPT2LMHeadModel(config),
        arguments,
        train_dataset=texts,
        eval_dataset=texts,
        compute_metrics=metrics,
    )


def main() -> None:
    """Train, and train on from the checkpoint."""
    set_seed(2)
    trainer(20).train()
    trainer(30).train(resume_from_checkpoint=True)


if __name__ == "__main__":
    main()
