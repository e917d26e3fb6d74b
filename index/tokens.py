"""Word pieces counted with the embedding model's own tokenizer, without torch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from index.model_files import DEFAULT_MODEL, ENGINE, ModelFiles, read_model
from ingest.errors import EngineError

_PIECES = re.compile(r"[^\W_]+|[^\w\s]|_")
"""Where BERT's pre-tokenizer parts ASCII words: each punctuation mark stands alone."""
_MOST_WORDS = 500_000
"""Words whose pieces are remembered; then all are forgotten."""


class _Tokenizer(NamedTuple):
    lengths: Callable[[Sequence[str]], list[int]]
    special: int
    """Special tokens the model puts around a text."""


class ModelTokenCounter:
    """TokenCounter of a model, by name or folder. Loads at the first count; crosses to worker processes as the name alone."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self._model = model

    def __reduce__(self) -> tuple[type[ModelTokenCounter], tuple[str]]:
        return type(self), (self._model,)

    @cached_property
    def _files(self) -> ModelFiles:
        return read_model(self._model)

    @cached_property
    def _tokenizer(self) -> _Tokenizer:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # one process a core already; its threads warn after a fork
        folder = self._files.folder
        try:
            return _fast(str(folder / "tokenizer.json")) if (folder / "tokenizer.json").is_file() else _slow(str(folder))
        except Exception as error:  # tokenizers raises Exception itself
            raise EngineError(ENGINE, f"the tokenizer in {folder} cannot be loaded: {error}") from error

    @cached_property
    def max_tokens(self) -> int:
        """Word pieces of a passage that the model reads, special tokens and the passage prompt not counted."""
        prompt = self._files.passage_prompt
        return self._files.max_length - self._tokenizer.special - (self.count([prompt])[0] if prompt else 0)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text, special tokens not counted. Lone surrogates count as the replacement character."""
        return self._tokenizer.lengths([encodable(t) for t in texts])


class _Words:
    """Word pieces by word, for tokenizers that never join what white space parts (BERT's WordPiece): most words come again and
    again, so most texts are counted without the tokenizer.

    `whole` are the model's own lower-case words, one piece each; empty where the tokenizer tells cases apart.
    """

    def __init__(self, lengths: Callable[[Sequence[str]], list[int]], whole: frozenset[str]) -> None:
        self._lengths = lengths
        self._whole = whole
        self._known: dict[str, int] = {}

    def __call__(self, texts: Sequence[str]) -> list[int]:
        parts = [text.split() for text in texts]
        known = self._known
        every = set().union(*parts)
        new = every.difference(known)
        if len(known) + len(new) > _MOST_WORDS:
            known.clear()
            new = every
        known.update((word, count) for word in new if (count := self._plainly(word)))
        rest = [word for word in new if word not in known]
        known.update(zip(rest, self._lengths(rest), strict=True))
        return [sum(map(known.__getitem__, words)) for words in parts]

    def _plainly(self, word: str) -> int:
        """The pieces of a word of letters, digits and marks that the model knows whole; 0 for others."""
        pieces = _PIECES.findall(word.lower()) if word.isascii() else []
        return len(pieces) if self._whole.issuperset(pieces) else 0


def encodable(text: str) -> str:
    """The text, with lone surrogates (which no tokenizer takes) replaced one for one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def _fast(file: str) -> _Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def lengths(texts: Sequence[str]) -> list[int]:
        return [len(e.ids) for e in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]

    by_word = type(tokenizer.pre_tokenizer).__name__ == "BertPreTokenizer" and type(tokenizer.model).__name__ == "WordPiece"
    if by_word:
        lower = tokenizer.normalizer is not None and getattr(tokenizer.normalizer, "lowercase", False)
        lengths = _Words(lengths, frozenset(tokenizer.get_vocab()) if lower else frozenset())
    return _Tokenizer(lengths, tokenizer.num_special_tokens_to_add(False))


def _slow(folder: str) -> _Tokenizer:
    """For models without a `tokenizer.json`."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def lengths(texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)["input_ids"]]

    return _Tokenizer(lengths, tokenizer.num_special_tokens_to_add(pair=False))
