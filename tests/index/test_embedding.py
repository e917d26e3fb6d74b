"""The real model: one pass gives the vectors of passages and units."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest

from index.embedding import SentenceTransformerEmbedder, _batches
from index.loaded_models import loaded_model
from index.memory import HashingEmbedder
from index.model_files import DEFAULT_MODEL, locate_model
from index.models import ChunkVectors
from index.ports import Embedder
from ingest.errors import EngineError
from ingest.models import Passage, Span

SENTENCES = (
    "Interest accrues at 1.5% per month.",
    "The tern nests on gravel and leaves in August.",
    "C++ builds naïve ﬁrmware; 税务局 does not.",
)


def passage(*sentences: str, prefix: str = "Fees › Late payment\n") -> Passage:
    text, units = prefix, []
    for sentence in sentences:
        units.append(Span(len(text), len(text) + len(sentence)))
        text += sentence + " "
    return Passage(text=text, units=tuple(units))


class EmbedderContract:
    """What every Embedder does; each class below gives the fixture `embedder`."""

    def test_vectors_have_length_one_and_the_shapes_promised(self, embedder: Embedder) -> None:
        [vectors] = embedder.embed_passages([passage(*SENTENCES)])
        dimension = embedder.settings.dimension
        assert vectors.vector.shape == (dimension,)
        assert vectors.vector.dtype == np.float32
        assert vectors.units.shape == (3, dimension)
        assert vectors.units.dtype == np.float16
        assert np.linalg.norm(vectors.vector) == pytest.approx(1, abs=1e-5)
        assert np.linalg.norm(vectors.units.astype(np.float32), axis=1) == pytest.approx(np.ones(3), abs=1e-2)

    def test_a_unit_of_which_nothing_is_read_is_zeros(self, embedder: Embedder) -> None:
        [vectors] = embedder.embed_passages([Passage(text="Interest accrues.", units=(Span(0, 0), Span(0, 17)))])
        assert not vectors.units[0].any()
        assert vectors.units[1].any()

    def test_results_come_in_the_order_given(self, embedder: Embedder) -> None:
        passages = [passage(*SENTENCES), passage(SENTENCES[0]), passage(*SENTENCES * 3), passage(SENTENCES[1])]
        together = embedder.embed_passages(passages)
        for given, found in zip(passages, together, strict=True):
            [alone] = embedder.embed_passages([given])
            assert float(alone.vector @ found.vector) > 0.999
            assert found.units.shape[0] == len(given.units)

    def test_the_unit_that_answers_is_nearest_to_the_question(self, embedder: Embedder) -> None:
        [vectors] = embedder.embed_passages([passage(*SENTENCES)])
        question = embedder.embed_query("what interest accrues per month")
        assert int(np.argmax(vectors.units.astype(np.float32) @ question)) == 0

    def test_equal_texts_give_equal_vectors(self, embedder: Embedder) -> None:
        def once() -> list[ChunkVectors]:
            return embedder.embed_passages([passage(*SENTENCES), passage(SENTENCES[1])])

        for a, b in zip(once(), once(), strict=True):
            assert np.array_equal(a.vector, b.vector)
            assert np.array_equal(a.units, b.units)

    def test_english_is_familiar(self, embedder: Embedder) -> None:
        assert embedder.familiarity(SENTENCES[0]) == 1.0

    def test_nothing_gives_nothing(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]) == []
        assert embedder.embed_passages([Passage(text="x", units=())])[0].units.shape == (0, embedder.settings.dimension)

    @pytest.mark.parametrize("text", ["", "\0", "\ud800 x", "🐦", "word " * 5000])
    def test_no_text_raises(self, embedder: Embedder, text: str) -> None:
        assert embedder.embed_query(text).shape == (embedder.settings.dimension,)
        embedder.embed_passages([Passage(text=text, units=(Span(0, len(text)),))])


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls) -> Embedder:
        return HashingEmbedder()


@pytest.mark.real
class TestSentenceTransformerEmbedder(EmbedderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls) -> SentenceTransformerEmbedder:
        return SentenceTransformerEmbedder(threads=1)

    def test_a_passage_has_the_vector_that_the_model_itself_gives(self, embedder: SentenceTransformerEmbedder) -> None:
        passages = [passage(*SENTENCES), passage(*SENTENCES * 40), passage(SENTENCES[2], prefix="")]
        for given, found in zip(passages, embedder.embed_passages(passages), strict=True):
            own = embedder.embed_query(given.text)
            assert float(own @ found.vector) > 0.999

    def test_scripts_that_it_has_no_words_for_are_not_familiar(self, embedder: SentenceTransformerEmbedder) -> None:
        texts = ("税务局在哪里", "где налоговая", "यह क्या है", "أين", "ใคร", "где the")
        assert [embedder.familiarity(text) for text in texts] == [0, 0, 0, 0, 0, 0.5]

    def test_a_question_leaves_the_number_of_threads_alone(self, embedder: SentenceTransformerEmbedder) -> None:
        import torch

        embedder.embed_query("warm")
        before = torch.get_num_threads()
        embedder.embed_query("late payment")
        assert torch.get_num_threads() == before

    def test_a_unit_past_the_window_is_zeros(self, embedder: SentenceTransformerEmbedder) -> None:
        [vectors] = embedder.embed_passages([passage(*SENTENCES * 40)])
        assert vectors.units[0].any()
        assert not vectors.units[-1].any()


@pytest.mark.real
class TestModelThatTakesNoMean(EmbedderContract):
    """The same weights, but the first token's vector is the text's: units are encoded alone."""

    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls, tmp_path_factory: pytest.TempPathFactory) -> SentenceTransformerEmbedder:
        folder = tmp_path_factory.mktemp("model")
        for file in locate_model(DEFAULT_MODEL)[1].iterdir():
            if file.is_file():
                (folder / file.name).symlink_to(file)
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 384, "pooling_mode_cls_token": true}')
        (folder / "config_sentence_transformers.json").unlink()
        (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": "ask: ", "document": "say: "}}')
        return SentenceTransformerEmbedder(folder, threads=1)

    def test_it_says_so(self, embedder: SentenceTransformerEmbedder) -> None:
        assert not embedder.settings.pooled

    def test_a_unit_has_the_vector_of_its_own_text(self, embedder: SentenceTransformerEmbedder) -> None:
        [together] = embedder.embed_passages([passage(*SENTENCES)])
        [alone] = embedder.embed_passages([passage(SENTENCES[1], prefix="")])
        assert float(together.units[1].astype(np.float32) @ alone.units[0].astype(np.float32)) > 0.999


@pytest.mark.real
class TestModelsInMemory:
    def test_two_embedders_of_the_same_model_share_it(self) -> None:
        folder, settings = locate_model(DEFAULT_MODEL)[1], SentenceTransformerEmbedder().settings
        first = loaded_model(folder, settings)
        assert loaded_model(folder, settings) is first
        assert loaded_model(folder, replace(settings, dtype="float64" if settings.dtype == "float32" else "float32")) is not first

    def test_a_model_that_nobody_uses_is_let_go(self) -> None:
        folder, settings = locate_model(DEFAULT_MODEL)[1], replace(SentenceTransformerEmbedder().settings, model="mine alone")
        gone = ref(loaded_model(folder, settings))
        gc.collect()
        assert gone() is None

    def test_two_embedders_may_be_asked_at_once(self) -> None:
        first, second = SentenceTransformerEmbedder(), SentenceTransformerEmbedder()
        alone = [first.embed_query(f"late payment {n}") for n in range(8)]
        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(lambda n: (first if n % 2 else second).embed_query(f"late payment {n}"), range(8)))
            [chunk] = pool.submit(second.embed_passages, [passage(*SENTENCES)]).result()
        assert np.array_equal(alone, told)
        assert chunk.units.any()


def test_a_missing_model_is_an_error_when_it_is_used_and_not_before() -> None:
    embedder = SentenceTransformerEmbedder("nobody/no-such-model")
    with pytest.raises(EngineError, match="no-such-model"):
        embedder.embed_query("x")


def test_batches_hold_every_text_once_longest_first_within_the_budget() -> None:
    lengths = [3, 256, 100, 9000, 256, 1] * 20
    batches = list(_batches(lengths))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    assert all(len(b) == 1 or lengths[b[0]] * len(b) <= 8192 for b in batches)
    assert [lengths[i] for b in batches for i in b] == sorted(lengths, reverse=True)
