"""Embedding models in memory: each is there once, however many libraries are open, for as long as one of them uses it."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from index.model_files import ENGINE
from index.models import EmbeddingSettings
from index.scripts import known_scripts
from ingest.errors import EngineError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class LoadedModel:
    """A model, and the lock that whoever uses it holds: its tokenizer keeps settings between calls."""

    def __init__(self, model: SentenceTransformer) -> None:
        self.model = model
        self.lock = threading.Lock()

    @cached_property
    def scripts(self) -> frozenset[str]:
        """Those that it has words for."""
        tokenizer = self.model.tokenizer
        return known_scripts(tokenizer.convert_tokens_to_string([token]) for token in tokenizer.get_vocab())


_loaded: WeakValueDictionary[tuple[Path, EmbeddingSettings], LoadedModel] = WeakValueDictionary()
_loading = threading.Lock()


def loaded_model(folder: Path, settings: EmbeddingSettings, threads: int | None = None) -> LoadedModel:
    """The model of a folder, loaded if nobody has it. Its settings name its weights: a folder with others is another model.

    `threads`, if given, is how many torch uses from now on. Raises EngineError.
    """
    with _loading:
        found = _loaded.get((folder, settings))
        if found is None:
            found = _loaded[folder, settings] = LoadedModel(_load(folder, settings.dtype))
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    return found


@contextmanager
def one_thread() -> Iterator[None]:
    """One text is too little work to share: on a busy machine the threads wait for each other, up to half a second."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def compute_dtype() -> str:
    """bfloat16 where the processor computes in it (three times as fast, cosine .9999), else float32."""
    import torch

    for name in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"):  # private: gone in another torch means float32
        if getattr(torch.cpu, name, bool)():
            return "bfloat16"
    return "float32"


def _load(folder: Path, dtype: str) -> SentenceTransformer:
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import transformers
            from sentence_transformers import SentenceTransformer

            transformers.logging.set_verbosity_error()
            transformers.logging.disable_progress_bar()
            return SentenceTransformer(str(folder), device="cpu", local_files_only=True, model_kwargs={"dtype": dtype})
    except Exception as error:
        raise EngineError(ENGINE, f"{folder} cannot be loaded: {error}") from error
