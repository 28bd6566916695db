"""A recorder of training runs: groups, loss calls and logs as JSON Lines that ``grpocheck audit`` reads.

    from grpocheck.verifier.recorder import record

    record(trainer, "run.jsonl")   # TRL's GRPOTrainer; before trainer.train()

A loop of one's own writes the same lines with ``Recorder``. docs/conform.md says how, docs/recording.schema.json what a
line looks like.
"""

from grpocheck.verifier.recorder.trainer import NotATrainer, record
from grpocheck.verifier.recorder.writing import CannotRecord, Recorder

__all__ = ["CannotRecord", "NotATrainer", "Recorder", "record"]
