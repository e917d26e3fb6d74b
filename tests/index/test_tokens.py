"""Word pieces counted without the model; a model found as files."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from index.model_files import DEFAULT_MODEL, locate_model, model_settings, read_model, weights_sha256
from index.tokens import ModelTokenCounter
from ingest.errors import EngineError

WORDS = st.sampled_from(["Payment", "interest.", "(late)", "PX-200", "don't", "unbelievability", "snake_case", "3.5", "café", "ÅR"])
COUNTER = ModelTokenCounter()
TOKENIZER = Tokenizer.from_file(str(read_model(DEFAULT_MODEL).folder / "tokenizer.json"))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()


def folder_of(tmp_path: Path, **files: object) -> Path:
    for name, value in files.items():
        target = tmp_path / name.replace("__", "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.with_suffix(".json").write_text(json.dumps(value))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def test_counts_leave_special_tokens_out() -> None:
    assert ModelTokenCounter().count(["late payment", "", "unbelievability"]) == [2, 0, 5]


@given(st.text(st.sampled_from("aAeizZ 019_-.,'(é中\t\x01[]"), max_size=30) | st.lists(WORDS, max_size=6).map(" ".join))
def test_words_are_counted_as_the_tokenizer_counts_them(text: str) -> None:
    assert COUNTER.count([text]) == [len(TOKENIZER.encode(text, add_special_tokens=False).ids)]


READ = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(lambda t: " ".join(t.split()))  # white space folded


@given(st.lists(READ | WORDS, max_size=5), st.sampled_from([" ", "\n"]))
def test_reading_texts_joined_by_white_space_have_the_pieces_of_each(texts: list[str], space: str) -> None:
    whole = len(TOKENIZER.encode(space.join(texts), add_special_tokens=False).ids)
    assert COUNTER.splits_at_spaces
    assert sum(COUNTER.count(texts)) == whole


def test_the_window_is_the_models_without_its_special_tokens() -> None:
    assert ModelTokenCounter().max_tokens == 254


def test_a_long_text_is_counted_whole() -> None:
    assert ModelTokenCounter().count(["word " * 3000]) == [3000]


def test_a_lone_surrogate_is_counted_too() -> None:
    assert ModelTokenCounter().count(["a \ud800 b"]) == ModelTokenCounter().count(["a \ufffd b"])


def test_a_counter_crosses_to_another_process_as_its_name() -> None:
    counter = ModelTokenCounter()
    counter.count(["loaded"])
    again = pickle.loads(pickle.dumps(counter))
    assert again.count(["late payment"]) == [2]


def test_counting_loads_no_torch() -> None:
    program = (
        "import sys; from index.tokens import ModelTokenCounter; ModelTokenCounter().count(['a']); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("name", [DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}"])
def test_the_default_model_comes_from_its_package_under_both_names(name: str) -> None:
    short, folder = locate_model(name)
    assert short == DEFAULT_MODEL
    assert (folder / "model.safetensors").is_file()


def test_a_folder_is_itself() -> None:
    folder = locate_model(DEFAULT_MODEL)[1]
    assert locate_model(folder)[1] == folder
    assert model_settings(folder).weights_sha256 == model_settings(DEFAULT_MODEL).weights_sha256


def test_a_model_that_is_not_here_is_an_error_that_says_how_to_get_it() -> None:
    with pytest.raises(EngineError, match="hf download nobody/no-such-model"):
        locate_model("nobody/no-such-model")


def test_a_folder_without_weights_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no weights"):
        weights_sha256(tmp_path)


def test_changed_weights_have_another_hash(tmp_path: Path) -> None:
    before = weights_sha256(folder_of(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert weights_sha256(tmp_path) != before


def test_the_settings_of_the_default_model_are_read_from_its_files() -> None:
    settings = model_settings(DEFAULT_MODEL)
    assert (settings.dimension, settings.max_tokens, settings.pooled) == (384, 254, True)


@pytest.mark.parametrize(
    ("modules", "pooling", "pooled"),
    [
        (["Transformer", "Pooling"], {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, True),
        (["Transformer", "Pooling", "Normalize"], {"pooling_mode": "mean"}, True),
        (["Transformer", "Pooling"], {"pooling_mode_cls_token": True}, False),
        (["Transformer", "Pooling"], {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, False),
        (["Transformer", "Pooling", "Dense"], {"pooling_mode": "mean"}, False),
    ],
)
def test_only_a_model_that_takes_the_mean_and_no_more_is_pooled(
    tmp_path: Path, modules: list[str], pooling: dict[str, object], pooled: bool
) -> None:
    types = [{"type": f"sentence_transformers.models.{m}"} for m in modules]
    folder = folder_of(tmp_path, modules=types, config={"hidden_size": 8}, **{"1_Pooling__config": pooling})
    assert read_model(folder).pooled is pooled


def test_prompts_limits_and_dimension_come_from_the_files(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path,
        config={"hidden_size": 8, "max_position_embeddings": 128},
        config_sentence_transformers={"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": None},
        tokenizer_config={"model_max_length": 512},
        **{"2_Dense__config": {"out_features": 4}},
    )
    files = read_model(folder)
    assert (files.query_prompt, files.passage_prompt, files.max_length, files.dimension) == ("query: ", "passage: ", 128, 4)


def test_a_broken_configuration_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(EngineError, match=r"config\.json"):
        read_model(tmp_path)
