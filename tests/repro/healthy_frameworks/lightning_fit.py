"""Lightning's Trainer with its warnings, an early stop, and a metric that is nan for a while."""

import warnings

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint, TQDMProgressBar
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

NEEDS = ["torch", "lightning", "torchmetrics", "numpy"]
COMMAND = ["python", "lightning_fit.py"]
EXPECT = [
    "GPU available: False",
    "val_error",
    "Monitored metric val_error did not improve",
    "recall_rare=nan",
]


class Classifier(lightning.LightningModule):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))

    def training_step(self, batch, index):
        """Give the loss, and a recall that has no value in some batches."""
        rows, labels = batch
        loss = nn.functional.cross_entropy(self.layers(rows), labels)
        self.log("train_loss", loss, prog_bar=True)
        recall = (
            (labels[labels == 1]).float().mean() if index % 4 < 3 else torch.tensor(float("nan"))
        )
        self.log("recall_rare", recall, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        """Log the error, which never improves."""
        self.log("val_error", 0.5 + 0.1 * self.current_epoch, prog_bar=True)

    def configure_optimizers(self):
        """Use Adam."""
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def main() -> None:
    """Fit until the early stop."""
    lightning.seed_everything(1)
    warnings.simplefilter("default")
    rows = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    trainer = lightning.Trainer(
        max_epochs=6,
        accelerator="cpu",
        logger=False,
        callbacks=[
            EarlyStopping("val_error", patience=2, verbose=True),
            ModelCheckpoint("checkpoints", monitor="val_error"),
            TQDMProgressBar(refresh_rate=4),
        ],
    )
    trainer.fit(Classifier(), DataLoader(rows, batch_size=8), DataLoader(rows, batch_size=8))


if __name__ == "__main__":
    main()
