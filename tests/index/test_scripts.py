from index.scripts import known_scripts, known_share, script

ENGLISH = [f"##word{chr(97 + n % 26)}" for n in range(2_000)] + ["я", "##д", "中", "国", "ا", "[CLS]", "12", "##-"]


def test_a_vocabulary_of_english_words_and_single_foreign_letters_knows_latin_only():
    assert known_scripts(ENGLISH) == {"LATIN"}


def test_a_vocabulary_with_words_of_two_scripts_knows_both():
    assert known_scripts([*ENGLISH, *["▁слово"] * 1_000]) == {"LATIN", "CYRILLIC"}


def test_a_small_vocabulary_knows_the_script_it_is_made_of():
    assert known_scripts(["a", "the", "cat", "я"]) == {"LATIN", "CYRILLIC"}
    assert known_scripts([]) == frozenset()


def test_the_share_counts_letters_alone():
    assert known_share("abc где 12!", frozenset({"LATIN"})) == 0.5
    assert known_share("2024-11", frozenset({"LATIN"})) == 1.0


def test_a_letter_without_a_name_belongs_to_no_script():
    assert script("\ue000") == "?"
