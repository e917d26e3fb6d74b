"""One check of a doctor: how much was looked at, how much of it was right. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field

SHOWN = 20
"""Problems that a check names; it counts them all."""


@dataclass(slots=True, kw_only=True)
class Check:
    """`good` of `total` things are as they should be; `problems` names the first others. `detail` says what the good ones are."""

    name: str
    good: int = 0
    total: int = 0
    detail: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.good == self.total

    def count(self, right: bool, what: str) -> None:
        """One more thing, right or not; `what` names it and what is wrong."""
        self.total += 1
        self.good += right
        if not right:
            self.complain(what)

    def complain(self, what: str) -> None:
        if len(self.problems) < SHOWN:
            self.problems.append(what)
