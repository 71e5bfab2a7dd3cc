"""Trainers of libraries that make their loaders themselves, of the datasets that they are given."""

from __future__ import annotations

from dlint.knowledge.loading import TRAINER_NAMES, TRAINER_SIGNATURE, LoaderClass

# They seed NumPy and random in each worker, shuffle by samplers of their own, and tell those and the datasets
# the epoch.
TRAINERS = {
    name: LoaderClass(name, seeds_workers=True, signature=TRAINER_SIGNATURE) for name in TRAINER_NAMES
}
# Who uses one of them mentions its library.
TRAINER_LIBRARIES = ("transformers", "trl")
# Their methods that go through the loaders which they make.
PASSES = frozenset({"train", "evaluate", "predict"})
# What is loaded, and the method that makes its loader, where a class derived from a trainer has none.
LOADS = {"train_dataset": "get_train_dataloader", "eval_dataset": "get_eval_dataloader"}
COLLATES = "data_collator"
# What makes batches where they are told nothing; given one of these, they pad with that.
DEFAULT_COLLATES = dict.fromkeys(
    ("transformers.Trainer", "transformers.Seq2SeqTrainer"), "default_data_collator"
)
PROCESSORS = ("tokenizer", "processing_class")

# The classes of what a trainer is given as `args`, and which of their fields say what the loaders get, where
# nobody says otherwise.
SETTINGS = frozenset(
    {"transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments", "trl.SFTConfig"}
)
WORKERS = "dataloader_num_workers"
FIELDS: dict[str, tuple[str, object]] = {
    "num_workers": (WORKERS, 0),
    "persistent_workers": ("dataloader_persistent_workers", False),
    "prefetch_factor": ("dataloader_prefetch_factor", None),
    "pin_memory": ("dataloader_pin_memory", True),
    "drop_last": ("dataloader_drop_last", False),
    "batch_size": ("per_device_train_batch_size", 8),
}
DEFAULTS = dict(FIELDS.values())

# What builds a loader that seeds its workers, of a configuration or of records; in the workers it calls the
# mapper with each of these, where it is given one.
BUILDERS = {
    name: LoaderClass(name, seeds_workers=True, signature=("dataset",))
    for name in (
        "detectron2.data.build_detection_train_loader",
        "detectron2.data.build_detection_test_loader",
    )
}
BUILDER_LIBRARY = "detectron2"
MAPPER, DATASET = "mapper", "dataset"

# Lightning asks these for loaders, and calls methods before that make ready what is loaded. It does not ask
# the second where it is given one of the first.
DATA_MODULE = "pytorch_lightning.LightningDataModule"
HOOKED = frozenset({DATA_MODULE, "pytorch_lightning.LightningModule"})
# What Lightning's trainer has of them: the loaders by the methods that it has asked, and the datamodule.
LOADERS_OF_TRAINER = {
    "train_dataloader": "train_dataloader",
    "val_dataloaders": "val_dataloader",
    "test_dataloaders": "test_dataloader",
}
OF_TRAINER = frozenset({"datamodule", *LOADERS_OF_TRAINER})
# Those that were lists before 2.0, whatever the method gives, and the calls that may give it these loaders
# instead: at which place, or by which keywords.
SEVERAL = frozenset({"val_dataloaders", "test_dataloaders"})
GIVEN_LOADERS = {
    "train_dataloader": ("pytorch_lightning.Trainer().fit", 1, ("train_dataloaders", "train_dataloader")),
    "val_dataloaders": ("pytorch_lightning.Trainer().fit", 2, ("val_dataloaders",)),
    "test_dataloaders": ("pytorch_lightning.Trainer().test", 1, ("dataloaders", "test_dataloaders")),
}
# Where it is given loaders or a datamodule, behind a model.
GIVEN_DATA = frozenset(
    {
        "datamodule",
        "datamodule_class",
        "dataloaders",
        "train_dataloader",
        "train_dataloaders",
        "val_dataloaders",
    }
)
# Has the arguments of a constructor kept, and what keeps them.
SAVES_ARGUMENTS = "save_hyperparameters"
HPARAMS = "pytorch_lightning.hparams"
MAKES_READY = ("prepare_data", "setup")


def is_asked_for_loader(method: str) -> bool:
    """Whether Lightning asks a method of this name for a loader."""
    return method.endswith("_dataloader")


# Classes whose objects a trainer calls for every batch, and by which methods.
_BATCH_HOOKS = {
    "pytorch_lightning.": frozenset(
        {
            *("on_train_batch_start", "on_train_batch_end", "on_validation_batch_start"),
            *("on_validation_batch_end", "on_before_backward", "on_after_backward", "training_step"),
            *("validation_step", "test_step"),
        }
    ),
    "transformers.": frozenset(
        {"on_step_begin", "on_step_end", "on_substep_end", "training_step", "compute_loss"}
    ),
    "mmcv.runner.": frozenset({"before_train_iter", "after_train_iter"}),
    "mmengine.hooks.": frozenset({"before_train_iter", "after_train_iter"}),
}
EACH_BATCH = frozenset(name for names in _BATCH_HOOKS.values() for name in names)
# ignite's engine calls what it is made of for every batch, and what handles these events.
STEPPED = frozenset({"ignite.engine.Engine"})
STEP = "_process_function"  # its name for that
RUNS = frozenset(f"{engine}().run" for engine in STEPPED)
HANDLES, ADDS_HANDLER = "on", "add_event_handler"
EVERY_BATCH = frozenset(
    f"ignite.engine.{events}.{which}"
    for events in ("Events", "events.Events")
    for which in ("ITERATION_STARTED", "ITERATION_COMPLETED", "GET_BATCH_STARTED", "GET_BATCH_COMPLETED")
)


def is_batch_hook(library: str, method: str) -> bool:
    """Whether a trainer calls a method of objects of a library's class, by its name, for every batch."""
    return any(library.startswith(start) and method in names for start, names in _BATCH_HOOKS.items())
