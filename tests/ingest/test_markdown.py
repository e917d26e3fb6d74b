"""Markdown -> blocks, headings, silent ranges."""

import html
import re
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.markdown import parse_markdown
from ingest.models import Block, ParsedDocument, Span
from ingest.reading import reading_text, silent_within

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

# --- helpers ---------------------------------------------------------------------------------------------------------------


def parse(text: str) -> ParsedDocument:
    return parse_markdown(text, encoding="utf-8")


def read(parsed: ParsedDocument, span: Span) -> str:
    return reading_text(span.slice(parsed.text), silent_within(parsed.silent, span)).text


def roles(text: str) -> list[tuple[str, str]]:
    parsed = parse(text)
    return [(b.role, b.span.slice(text)) for b in parsed.blocks]


def readings(text: str) -> list[str]:
    parsed = parse(text)
    return [read(parsed, b.span) for b in parsed.blocks]


def headings(text: str) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in parse(text).blocks if b.role == "heading"]


def only(text: str, role: str) -> Block:
    (block,) = [b for b in parse(text).blocks if b.role == role]
    return block


def assert_blocks_hold_everything(parsed: ParsedDocument) -> None:
    text, at = parsed.text, 0
    for block in parsed.blocks:
        assert block.span.start >= at
        assert not text[at : block.span.start].strip()
        held = block.span.slice(text)
        assert held
        assert held == held.strip()
        at = block.span.end
        assert block.scope_end is None or block.span.end <= block.scope_end <= len(text)
        assert all(0 <= c.start < c.end <= len(text) for c in block.context)
    assert not text[at:].strip()
    at = 0
    for silent in parsed.silent:
        assert at <= silent.start < silent.end <= len(text)
        at = silent.end


# --- generated Markdown ------------------------------------------------------------------------------------------------------

WORD = st.text(st.sampled_from("abcXYZ019é漢.,;:'"), min_size=1, max_size=5)
ODD = st.sampled_from(
    [
        "*",
        "**",
        "_",
        "~~",
        "`",
        "``",
        "\\",
        "\\*",
        "[",
        "]",
        "(",
        ")",
        "](u)",
        "![",
        "<",
        ">",
        "<b>",
        "</b>",
        "<http://e.x/p>",
        "<!-- c -->",
        "&amp;",
        "&#65;",
        "&nope;",
        "&",
        "  \n",
        "\\\n",
        "\n",
        " ",
        "!",
        '"',
        "[r]",
        "[r][]",
        "[x][r]",
        "](u 't')",
        "<br>",
        "#",
        "\u00ad",
        "\u200b",
    ]
)
INLINE = st.lists(st.one_of(WORD, ODD, st.just(" ")), max_size=25).map("".join)
LINE_START = st.sampled_from(
    [
        "",
        "",
        "",
        "> ",
        ">",
        "- ",
        "* ",
        "1. ",
        "23) ",
        "  ",
        "    ",
        "\t",
        "# ",
        "## ",
        "###### ",
        "```",
        "~~~ x",
        "---",
        "===",
        "***",
        "| ",
        "<div>",
        "</div>",
        "<h2>",
        "</h2>",
        "<!--",
        "-->",
        "[^1]: ",
        "!!! note ",
        "::: tip",
        ">>",
        "> - ",
        "- > ",
        ">     ",
        "- - ",
        "\\",
        "|-|-|",
        "`",
        "\x0c",
        "\u2028",
    ]
)
LINE = st.just("[r]: u 't'") | st.tuples(
    st.lists(LINE_START, max_size=3).map("".join), INLINE.map(lambda s: s.replace("\n", " "))
).map("".join)
LINE_END = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r", "\n \n"])
MARKDOWN = st.lists(st.tuples(LINE, LINE_END).map("".join), max_size=14).map("".join)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@UNHURRIED
@given(st.one_of(MARKDOWN, ANY_TEXT))
def test_blocks_are_in_order_and_hold_every_character_that_is_no_white_space(text: str) -> None:
    parsed = parse(text)
    assert parsed.text == text
    assert_blocks_hold_everything(parsed)


HTML_TAG = re.compile(r"""<!--.*?(?:-->|\Z)|</?[a-z](?:[^<>"']|"[^"<]*"|'[^'<]*')*>""", re.DOTALL | re.IGNORECASE)


def rendered(tokens: list[Token]) -> str:
    """The text of markdown-it's tokens, numbers of ordered lists included: what a browser shows."""
    out = []
    for token in tokens:
        if token.type == "inline" or token.type == "image":
            out.append(rendered(token.children or []))
        elif token.type in ("text", "text_special", "code_inline", "code_block", "fence"):
            out.append(token.content)
        elif token.type == "list_item_open" and token.info:
            out.append(token.info + token.markup)
        elif token.type in ("softbreak", "hardbreak"):
            out.append("\n")
        elif token.type == "html_block":
            out.append(html.unescape(HTML_TAG.sub("", token.content)))
    return "".join(out)


def all_read(parsed: ParsedDocument) -> str:
    """The reading text of all blocks; of link definitions and comments nothing but the number of the list item they stand in."""
    return "".join(item_numbers(b.span.slice(parsed.text)) if b.role == "markup" else read(parsed, b.span) for b in parsed.blocks)


def item_numbers(text: str) -> str:
    prefix = re.match(r"(?:[\s>*+-]|\d{1,9}[.)](?=\s))*", text)
    return re.sub(r"[^\d.)]", "", prefix.group()) if prefix else ""


REFERENCE = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def visible(text: str) -> str:
    return re.sub(r"[\s\u00ad\u200b]", "", text)


@UNHURRIED
@given(st.lists(INLINE, min_size=1, max_size=3).map("\n\n".join))
def test_what_is_read_of_a_paragraph_is_what_markdown_it_renders_of_it(text: str) -> None:
    text = "x " + text + "\n\n[r]: /u\n"
    parsed = parse(text)
    assert visible(all_read(parsed)) == visible(rendered(REFERENCE.parse(text)))


@UNHURRIED
@given(MARKDOWN.filter(lambda t: not re.search(r"\[\^|&|\|", t)))
def test_what_is_read_of_a_document_is_what_markdown_it_renders_of_it(text: str) -> None:
    text = "x\n\n" + text
    parsed = parse(text)
    assert visible(all_read(parsed)) == visible(rendered(REFERENCE.parse(text)))


CELL = st.lists(
    st.one_of(WORD, st.sampled_from(["**b**", "`c`", "\\|", "&lt;", "[l](u)", " ", "\\*", "\\\\", "漢"])), max_size=4
).map("".join)


@UNHURRIED
@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=4)),
    st.sampled_from(["", "> ", "- "]),
)
def test_what_is_read_of_a_table_is_what_markdown_it_renders_of_it(rows: list[list[str]], prefix: str) -> None:
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    indent = prefix.replace("-", " ")
    text = prefix + f"\n{indent}".join([head, "|---" * len(rows[0]) + "|", *body])
    parsed = parse(text)
    assert_blocks_hold_everything(parsed)
    tokens = REFERENCE.parse(text)
    if any(t.type == "table_open" for t in tokens):
        assert [b.role for b in parsed.blocks] == ["table"]
        assert visible(all_read(parsed)) == visible(rendered(tokens))


@UNHURRIED
@given(MARKDOWN.filter(lambda t: not re.search(r"!!!|:::|</?h2>|\{", t)))
def test_headings_are_those_of_markdown_it_with_its_text_as_the_title(text: str) -> None:
    text = text.replace("[^", "[")  # a footnote's definition is none of CommonMark
    tokens = REFERENCE.parse(text)
    expected = [(int(t.tag[1]), visible(rendered([tokens[i + 1]]))) for i, t in enumerate(tokens) if t.type == "heading_open"]
    got = [(level, visible(title or "")) for level, title in headings(text)]
    assert got == [(level if title else None, title) for level, title in expected]


# --- headings -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "level", "title"),
    [
        ("# Fees", 1, "Fees"),
        ("## 4.2  Late\tpayment ##", 2, "4.2 Late payment"),
        ("###### Six \\#", 6, "Six #"),
        ("  # Robots in C#", 1, "Robots in C#"),
        ("Soil care\n---------", 2, "Soil care"),
        ("Two\nlines\n===", 1, "Two lines"),
        ("# **Bold** and `code` _words_ ~~old~~", 1, "Bold and code words old"),
        ("# See [the guide](https://e.x/g 'title') ![a plan](p.png) first", 1, "See the guide a plan first"),
        ("# Watering 🌱 {#watering}", 1, "Watering 🌱"),
        ("# A {#a .class} #", 1, "A"),
        ("# Set {1, 2}", 1, "Set {1, 2}"),
        ("# R&amp;D &#167;&nbsp;5 <b>x</b>", 1, "R&D § 5 x"),
        ("# Water\u200bworks and was\u00adser", 1, "Waterworks and wasser"),
        ("<h2>Tools and <em>storage</em></h2>", 2, "Tools and storage"),
        ('<h3 class="x">\n  A &amp; B\n</h3>', 3, "A & B"),
        ("# a\0b", 1, "a\ufffdb"),
    ],
)
def test_a_title_is_the_plain_text_of_the_heading(text: str, level: int, title: str) -> None:
    (block,) = parse(text).blocks
    assert (block.role, block.level, block.title, block.scope_end) == ("heading", level, title, None)
    assert block.span.slice(text) == text.strip()


@pytest.mark.parametrize("text", ["#", "## ##", "# {#id}", "# <!-- c -->", "# ![](x.png)", "<h2> </h2>"])
def test_an_empty_heading_opens_no_section(text: str) -> None:
    (block,) = parse(text).blocks
    assert (block.role, block.level, block.title) == ("heading", None, None)


@pytest.mark.parametrize(
    "text",
    [
        "#hashtag",
        "\\# escaped",
        "####### seven",
        "    # indented code",
        "```\n# in a fence\n```",
        "~~~\n# in a fence that never ends",
        "<!--\n# in a comment\n-->",
        "<!-- <h2>in a comment</h2> -->",
        "<script>\n'<h2>in a script</h2>'\n</script>",
        "---\n# in front matter\na: b\n---",
        "| a |\n|---|",
        "!!! note\n---",
        "::: warning\n===",
        "text\x0c# after a form feed",
        "text\u2028# after a line separator",
        "text\x85# after NEL",
        "a <h2>inline</h2>",
        "<h2>never closed",
        "---\n\n===",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert headings(text) == []


def test_headings_in_quotes_and_items_end_with_them() -> None:
    text = "# Top\n\n> ## Quoted\n> inside\n\nafter\n\n- ### In item\n\n  inside\n\nafter\n"
    quoted, item = [b for b in parse(text).blocks if b.level in (2, 3)]
    assert quoted.span.slice(text) == "> ## Quoted"
    assert text[quoted.span.start : quoted.scope_end] == "> ## Quoted\n> inside"
    assert text[item.span.start : item.scope_end] == "- ### In item\n\n  inside"


def test_html_headings_part_their_block() -> None:
    assert roles('<div align="center">\n<h1>Title</h1>\nIntro.\n<h2>Next</h2></div>\n') == [
        ("body", '<div align="center">'),
        ("heading", "<h1>Title</h1>"),
        ("body", "Intro."),
        ("heading", "<h2>Next</h2>"),
        ("body", "</div>"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_offsets_count_line_ends_as_they_stand(end: str) -> None:
    text = end.join(["# One", "", "first", "second", "", "Two", "===", "", "> a", "> b"])
    assert [held for _, held in roles(text)] == ["# One", f"first{end}second", f"Two{end}===", f"> a{end}> b"]


# --- blocks --------------------------------------------------------------------------------------------------------------------


def test_each_item_of_a_list_is_a_block_with_its_mark_and_nested_items_are_their_own() -> None:
    assert roles("- one\n  more\n- two\n  1. deep\n\n     second paragraph\n* - both\n") == [
        ("list", "- one\n  more"),
        ("list", "- two"),
        ("list", "1. deep"),
        ("list", "second paragraph"),
        ("list", "* - both"),
    ]


def test_a_bullet_is_silent_and_a_number_is_read() -> None:
    assert readings("- [x] one\n\n3. three\n\n> - > 4) four") == ["[x] one", "3. three", "4) four"]


def test_a_lead_in_is_context_of_its_items() -> None:
    text = "The tenant shall:\n\n- pay **now**:\n  - in cash\n- leave\n\nElse.\n\n- other\n"
    contexts = [[c.slice(text) for c in b.context] for b in parse(text).blocks if b.role == "list"]
    assert contexts == [["The tenant shall:"], ["- pay **now**:"], ["The tenant shall:"], []]


def test_a_table_is_one_block_with_its_head_row_as_context() -> None:
    text = "| bed | **crop** |\n|-----|:----:|\n| A | leek \\| kale |\n| B | `x` |\n\nEnd."
    block = only(text, "table")
    assert block.span.slice(text) == text[:-6]
    assert [c.slice(text) for c in block.context] == ["| bed | **crop** |"]
    assert readings(text) == ["bed crop A leek | kale B x", "End."]


def test_cells_of_a_table_without_outer_pipes_stay_apart() -> None:
    assert readings("> a|b\n> -|-\n> c|d|extra\n") == ["a b c d extra"]


def test_code_is_one_block_and_fences_and_info_are_silent() -> None:
    text = "1. ```py {x}\n   # one\n\n   ``\n   ```\n\n> ~~~\n> two\n\n    three\n\n    four\n"
    assert [role for role, _ in roles(text)] == ["code", "code", "code"]
    assert readings(text) == ["1. # one ``", "two", "three four"]


def test_quotes_are_body_and_their_marks_are_silent() -> None:
    text = "> one\n> two\n>\n> > three\nlazy\n>\n"
    assert [role for role, _ in roles(text)] == ["body", "body", "body"]
    assert readings(text) == ["one two", "three lazy", ""]


def test_link_definitions_and_comments_are_markup() -> None:
    text = "[a]: /u\n'title'\n\n<!-- # no\n\ntext -->\n\n<?php x ?>\n\n[a] and [b][a].\n\n[b]: <x y>\n[c]: z"
    assert [(role, held[:4]) for role, held in roles(text)] == [
        ("markup", "[a]:"),
        ("markup", "<!--"),
        ("markup", "<?ph"),
        ("body", "[a] "),
        ("markup", "[b]:"),
        ("markup", "[c]:"),
    ]
    assert readings(text)[3] == "a and b."


def test_html_is_body_with_silent_tags_that_keep_words_apart() -> None:
    text = "<p>One</p><p>t<b>w</b>o &lt; 3 <!-- no --></p>\n\n<style>\np { }\n</style>\n\n<br/>\n"
    assert [role for role, _ in roles(text)] == ["body", "markup", "body"]
    assert readings(text)[0] == "One two < 3"
    assert readings("a<br>b <span title='x > y'>c</span>d") == ["a b cd"]


def test_footnote_definitions_are_blocks_of_their_own_with_what_is_indented_below() -> None:
    text = "Fees are due.[^1]\n[^1]: By *bank*\n  transfer.\n[^n]: Word\n\n    Second paragraph.\n\n    Third.\n\nBody."
    assert roles(text) == [
        ("body", "Fees are due.[^1]"),
        ("footnote", "[^1]: By *bank*\n  transfer."),
        ("footnote", "[^n]: Word"),
        ("footnote", "Second paragraph."),
        ("footnote", "Third."),
        ("body", "Body."),
    ]


def test_blank_lines_of_a_quoted_footnote_are_in_its_paragraphs() -> None:
    text = "> [^1]: one\n>\n>     two\n>\n>     three\n"
    assert roles(text) == [("footnote", "> [^1]: one"), ("footnote", ">\n>     two"), ("footnote", ">\n>     three")]
    assert readings(text) == ["[^1]: one", "two", "three"]


def test_an_admonition_is_body_and_its_marker_is_read() -> None:
    text = '!!! note "Mind"\n\n    The *gap*.\n\n    # here\n\n::: tip\nUse it.\n:::\n\n> [!NOTE]\n> Read it.\n'
    assert [role for role, _ in roles(text)] == ["body"] * 5
    assert readings(text) == ['!!! note "Mind"', "The gap.", "# here", "::: tip Use it. :::", "[!NOTE] Read it."]


def test_inline_marks_are_silent_and_what_they_hold_is_read() -> None:
    text = (
        '**b** _e_ `` c`d `` ~~s~~ [l](u "t") ![alt *x*](p) <http://a.b/c> <m@e.x> \\* a\\b &copy;&unknown; w<br>x '
        "[not a link] 2 * 3 * 4 snake_case_name\\\nend"
    )
    assert readings(text) == [
        "b e c`d s l alt x http://a.b/c m@e.x * a\\b ©&unknown; w x [not a link] 2 * 3 * 4 snake_case_name end"
    ]


def test_a_target_repeated_in_the_text_is_silent_at_its_own_place_only() -> None:
    text = '[a](a) a [b](b "b") b ](b)'
    parsed = parse(text)
    assert readings(text) == ["a a b b ](b)"]
    assert [text[r.start : r.end] for r in parsed.silent] == ["[", "](a)", "[", '](b "b")']


# --- front matter ---------------------------------------------------------------------------------------------------------------


def test_front_matter_is_markup_and_gives_title_and_scalar_properties() -> None:
    text = "---\r\ntitle: 'Garden  Handbook'\r\n# x\r\ntags: [soil]\r\ndate: 2024-01-02\r\nempty:\r\nn: {a: b}\r\n---\r\n\r\nBody."
    parsed = parse(text)
    assert parsed.title == "Garden Handbook"
    assert parsed.properties == (("title", "Garden  Handbook"), ("date", "2024-01-02"))
    assert [b.role for b in parsed.blocks] == ["markup", "body"]
    assert parsed.warnings == ()


@pytest.mark.parametrize("yaml", ["a: [b", "\tx: y", "a: b: c", "[" * 3000, "a: \x01"])
def test_broken_front_matter_is_markup_with_a_notice(yaml: str) -> None:
    parsed = parse(f"---\n{yaml}\n---\n# H")
    assert [b.role for b in parsed.blocks] == ["markup", "heading"]
    assert [n.reason for n in parsed.warnings] == ["the front matter is no valid YAML"]
    assert (parsed.title, parsed.properties) == (None, ())


def test_aliases_and_merge_keys_of_front_matter_do_not_grow() -> None:
    bomb = "a0: &a0 {x: y}\n" + "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    assert parse(f"---\n{bomb}title: T\n---\n").properties == (("title", "T"),)


@pytest.mark.parametrize(
    "text",
    [
        "---\nProse between rules.\n---\n",
        "---\n\nfoo: [bar\n\n---\n",
        "---\nkey: value\n",
        "\n---\na: b\n---\n",
        "--- \n# One\n\n---\n",
    ],
)
def test_rules_around_prose_are_no_front_matter(text: str) -> None:
    assert all(b.role != "markup" for b in parse(text).blocks)


# --- hostile input --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["> " * 5000 + "deep", "- " * 3000 + "deep", "1. " * 3000 + "deep", "".join("  " * n + "- a\n" for n in range(300))],
)
def test_what_is_nested_too_deeply_is_kept_as_text_and_the_rest_as_ever(text: str) -> None:
    parsed = parse(text + "\n\n## After\n")
    assert_blocks_hold_everything(parsed)
    assert (parsed.blocks[-1].title, parsed.warnings) == ("After", ())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20000,
        "*a_ " * 8000,
        "![" * 9000,
        "[a](" * 5000,
        "<a " * 9000,
        "<div>" + "<a '" * 9000,
        "".join("a" + "`" * n for n in range(300)),
        "|a" * 500 + "\n" + "|-" * 500,
    ],
)
def test_hostile_text_is_parsed_without_losing_a_character(text: str) -> None:
    assert_blocks_hold_everything(parse(text + "\n\n## After\n"))


def test_a_full_stack_gives_plain_paragraphs_with_a_notice() -> None:
    def deep(n: int) -> ParsedDocument:
        return parse("> " * 59 + "x\n\n# H") if n == 0 else deep(n - 1)

    frames, frame = 0, sys._getframe()
    while frame.f_back is not None:
        frames, frame = frames + 1, frame.f_back
    parsed = deep(sys.getrecursionlimit() - frames - 100)
    assert [b.role for b in parsed.blocks] == ["body", "body"]
    assert "taken as plain text" in parsed.warnings[0].reason


def test_the_parser_is_named_with_its_version() -> None:
    assert re.fullmatch(r"markdown-it-py \d+\.\d+\.\d+", parse("").parser)
    assert parse("").blocks == ()


SPEC = Path(__file__).parents[3] / "shared/data/md/commonmark-spec/spec.txt"
EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n(.*?)^`{32}$", re.MULTILINE | re.DOTALL)
RENDERED = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)


@pytest.mark.skipif(not SPEC.is_file(), reason="the CommonMark specification does not lie beside this checkout")
def test_every_heading_of_the_commonmark_specification_is_read_as_it_says() -> None:
    examples = [(text.replace("→", "\t"), page) for text, page in EXAMPLE.findall(SPEC.read_text(encoding="utf-8"))]
    headings = 0
    for text, page in examples:
        if text.startswith("---\n"):
            continue  # front matter, here
        expected = [int(level) for level, title in RENDERED.findall(page) if re.sub(r"<[^>]*>|\s", "", title)]
        assert [block.level for block in parse(text).blocks if block.level] == expected, text
        headings += len(expected)
    assert headings > 50
