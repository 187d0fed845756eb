"""robots.txt decisions on URLs."""

from typing import NamedTuple

from byway.core.model.message import Reason


class RobotsDecision(NamedTuple):
    """Whether a URL is allowed, with the deciding rule and its line; line 0 if there is none."""

    allowed: bool
    rule: str = ""
    line: int = 0
    no_rule_reason: Reason = Reason("robots_no_rule")
    """The reason if no rule matches."""

    @property
    def reason(self) -> Reason:
        """The reason for the decision."""
        if self.line:
            return Reason("robots_rule", line=self.line, rule=self.rule)
        return self.no_rule_reason
