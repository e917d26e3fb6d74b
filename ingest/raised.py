"""Raised and lowered characters in their Unicode forms: protocol³, 10⁶, H₂O."""

from __future__ import annotations

RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
MAPPABLE = frozenset("0123456789+-−=()")
"""The characters that have both forms."""
