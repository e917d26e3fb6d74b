"""Texts to vectors with sentence-transformers, offline. One pass gives the vector of a passage and of every unit in it.

For mean-pooled models a passage's vector is the normalised mean of its token vectors, special tokens too (the model's own pooling);
a unit's is the mean of the tokens that end inside it. Other models encode each unit alone. The model is loaded at the first text,
once in a process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from index.loaded_models import LoadedModel, compute_dtype, loaded_model, one_thread
from index.model_files import DEFAULT_MODEL, ENGINE, ModelFiles, model_settings, read_model
from index.models import ChunkVectors, EmbeddingSettings
from index.scripts import known_share
from index.tokens import encodable
from ingest.errors import EngineError
from ingest.models import Passage, Span

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

BATCH_TOKENS = 8192
"""Tokens of a batch, padding counted."""


class _Tokens(NamedTuple):
    """A passage as token ids, and where in its text each token ends (-1 for special tokens)."""

    ids: list[int]
    ends: NDArray[np.int64]


class SentenceTransformerEmbedder:
    """Embedder. `model` is a name or folder (`index.model_files`), `threads` the number torch may use (None: its own choice).

    Deterministic on one machine. Safe for threads. Raises EngineError where the model cannot be had or fails.
    """

    def __init__(self, model: str | Path = DEFAULT_MODEL, *, threads: int | None = None) -> None:
        self._name = str(model)
        self._threads = threads

    @cached_property
    def settings(self) -> EmbeddingSettings:
        """Reads files and asks torch for the processor, but does not load the model."""
        return model_settings(self._name, dtype=compute_dtype())

    @cached_property
    def _files(self) -> ModelFiles:
        return read_model(self._name)

    @cached_property
    def _loaded(self) -> LoadedModel:
        return loaded_model(self._files.folder, self.settings, self._threads)

    @property
    def _model(self) -> SentenceTransformer:
        return self._loaded.model

    def embed_query(self, text: str) -> NDArray[np.float32]:
        with self._loaded.lock, one_thread():
            vector: NDArray[np.float32] = self._encode([self._files.query_prompt + text])[0]
            return vector

    def familiarity(self, text: str) -> float:
        return known_share(text, self._loaded.scripts)

    def embed_passages(self, passages: Sequence[Passage]) -> list[ChunkVectors]:
        if not passages:
            return []
        with self._loaded.lock:
            return self._pooled(passages) if self._files.pooled else self._alone(passages)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, dimension), normalised, by the model's own way."""
        model = self._model
        try:
            vectors = model.encode([encodable(t) for t in texts], prompt="", show_progress_bar=False, convert_to_numpy=True)
        except Exception as error:
            raise EngineError(ENGINE, f"{self._name} failed: {error}") from error
        return np.stack([_normalised(v) for v in np.asarray(vectors, dtype=np.float32)])

    def _alone(self, passages: Sequence[Passage]) -> list[ChunkVectors]:
        prompt = self._files.passage_prompt
        texts = [prompt + p.text for p in passages]
        parts = [prompt + unit.slice(p.text) for p in passages for unit in p.units if len(unit)]
        vectors = iter(self._encode(texts + parts))
        wholes = [next(vectors) for _ in texts]
        nothing = np.zeros(self._files.dimension, dtype=np.float32)
        return [
            _chunk_vectors(w, [next(vectors) if len(u) else nothing for u in p.units])
            for w, p in zip(wholes, passages, strict=True)
        ]

    def _pooled(self, passages: Sequence[Passage]) -> list[ChunkVectors]:
        shift = len(self._files.passage_prompt)
        try:
            tokens = self._tokenize([self._files.passage_prompt + p.text for p in passages])
            found: dict[int, ChunkVectors] = {}
            for batch in _batches([len(t.ids) for t in tokens]):
                for i, embedded in zip(batch, self._forward([tokens[i].ids for i in batch]), strict=True):
                    spans = [unit.shift(shift) for unit in passages[i].units]
                    units = [_mean(embedded[_inside(tokens[i].ends, span)]) for span in spans]
                    found[i] = _chunk_vectors(_mean(embedded), units)
        except Exception as error:
            raise EngineError(ENGINE, f"{self._name} failed: {error}") from error
        return [found[i] for i in range(len(passages))]

    def _tokenize(self, texts: Sequence[str]) -> list[_Tokens]:
        encoded = self._model.tokenizer(
            [self._cased(encodable(t)) for t in texts],
            truncation=True,
            max_length=self._files.max_length,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        return [
            _Tokens(ids, np.where(np.asarray(special, dtype=bool), -1, np.asarray(offsets, dtype=np.int64)[:, 1]))
            for ids, offsets, special in zip(
                encoded["input_ids"], encoded["offset_mapping"], encoded["special_tokens_mask"], strict=True
            )
        ]

    def _cased(self, text: str) -> str:
        """Lower case where the model's own first step does so and no offset moves."""
        lowered = text.lower() if getattr(self._model[0], "do_lower_case", False) else text
        return lowered if len(lowered) == len(text) else text

    def _forward(self, batch: Sequence[list[int]]) -> Iterator[NDArray[np.float32]]:
        """The token vectors of each, shape (its tokens, dimension)."""
        import torch

        tokenizer = self._model.tokenizer
        width = max(map(len, batch))
        ids = torch.full((len(batch), width), tokenizer.pad_token_id, dtype=torch.long)
        mask = torch.zeros((len(batch), width), dtype=torch.long)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        features: dict[str, torch.Tensor] = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in tokenizer.model_input_names:
            features["token_type_ids"] = torch.zeros_like(ids)
        with torch.inference_mode():
            out = self._model[0](features)["token_embeddings"].float().numpy()
        return (out[row, : len(tokens)] for row, tokens in enumerate(batch))


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices, longest first, so that a batch pads little and holds at most BATCH_TOKENS (or one text)."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batch and lengths[batch[0]] * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _inside(ends: NDArray[np.int64], span: Span) -> NDArray[np.bool_]:
    """Which tokens have their last character in the span (some tokenizers count the space before a word to it)."""
    return (ends > span.start) & (ends <= span.end)


def _mean(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The normalised mean of the rows; zeros where there are none."""
    if not len(vectors):
        return np.zeros(vectors.shape[1], dtype=np.float32)
    return _normalised(vectors.mean(axis=0, dtype=np.float32))


def _normalised(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


def _chunk_vectors(whole: NDArray[np.float32], units: list[NDArray[np.float32]]) -> ChunkVectors:
    stacked = np.stack(units) if units else np.zeros((0, len(whole)), dtype=np.float32)
    return ChunkVectors(vector=whole, units=stacked.astype(np.float16))
