"""Word pieces counted with the embedding model's own tokenizer, without torch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from index.model_files import DEFAULT_MODEL, ENGINE, ModelFiles, read_model
from ingest.errors import EngineError

_PARTS = re.compile(r"[^\W_]+|[^\w\s]|_")
"""Where BERT's pre-tokenizer parts ASCII words: each punctuation mark stands alone."""
_MOST_WORDS = 500_000
"""Words whose pieces are remembered; then all are forgotten."""


class _Tokenizer(NamedTuple):
    lengths: Callable[[Sequence[str]], list[int]]
    special: int
    """Special tokens the model puts around a text."""
    by_word: bool = False


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

    @property
    def splits_at_spaces(self) -> bool:
        """Whether no word piece reaches over white space, so that texts joined by a space have the pieces of each."""
        return self._tokenizer.by_word

    def count(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text, special tokens not counted. Lone surrogates count as the replacement character.

        They are reading texts: controls that Python takes for white space, and models leave out (form feeds), are folded in them.
        """
        return self._tokenizer.lengths([encodable(t) for t in texts])


class _Words:
    """Word pieces by word, for tokenizers that never join what white space or ASCII punctuation parts (BERT's WordPiece): most
    words come again and again, so most texts are counted without the tokenizer.

    `vocabulary` are the model's own pieces; with `lower` it reads all letters as small ones. `tokenize` cuts a word that needs no
    normalizing (ASCII letters and digits) into pieces: the whole tokenizer takes three times as long.
    """

    def __init__(
        self,
        lengths: Callable[[Sequence[str]], list[int]],
        tokenize: Callable[[str], Sequence[object]],
        vocabulary: Collection[str],
        *,
        lower: bool,
    ) -> None:
        self._lengths = lengths
        self._tokenize = tokenize
        self._vocabulary = vocabulary
        self._lower = lower
        self._words: dict[str, int] = {}
        self._parts: dict[str, int] = dict.fromkeys(vocabulary, 1)

    def __call__(self, texts: Sequence[str]) -> list[int]:
        words = [text.split() for text in texts]
        every = set().union(*words)
        new = every.difference(self._words)
        if len(self._words) + len(new) > _MOST_WORDS:
            self._words.clear()
            self._parts = dict.fromkeys(self._vocabulary, 1)
            new = every
        self._learn(new)
        return [sum(map(self._words.__getitem__, found)) for found in words]

    def _learn(self, words: Iterable[str]) -> None:
        parted = {word: self._parted(word) for word in words}
        unknown = set().union(*parted.values()).difference(self._parts)
        plain = {part for part in unknown if part.isascii() and part.isalnum()}
        self._parts.update((part, len(self._tokenize(part))) for part in plain)
        others = list(unknown - plain)
        self._parts.update(zip(others, self._lengths(others) if others else (), strict=True))
        self._words.update((word, sum(map(self._parts.__getitem__, parts))) for word, parts in parted.items())

    def _parted(self, word: str) -> list[str]:
        """The word where the tokenizer parts it, as far as that is plain."""
        if not (word.isascii() and word.isprintable()):
            return [word]
        if word.isalnum():
            return [word.lower() if self._lower else word]
        return _PARTS.findall(word.lower() if self._lower else word)


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

    parts = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    by_word = tuple(type(part).__name__ for part in parts) == ("BertNormalizer", "BertPreTokenizer", "WordPiece")
    if by_word:
        lengths = _Words(lengths, tokenizer.model.tokenize, tokenizer.get_vocab(), lower=tokenizer.normalizer.lowercase)
    return _Tokenizer(lengths, tokenizer.num_special_tokens_to_add(False), by_word)


def _slow(folder: str) -> _Tokenizer:
    """For models without a `tokenizer.json`."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def lengths(texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)["input_ids"]]

    return _Tokenizer(lengths, tokenizer.num_special_tokens_to_add(pair=False))
