"""HTML forms: parsed fields of bounded length, with the CSRF check."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from byway.core.display import sanitize
from byway.core.errors import UsageError
from byway.core.secret_tokens import constant_time_equal
from byway.web.middleware.auth import CURRENT_USER

FORM_MEDIA_TYPE = "application/x-www-form-urlencoded"
MAX_FORM_FIELDS = 30


@dataclass(frozen=True, slots=True)
class FormFields:
    """The fields of a form."""

    values: Mapping[str, str]

    def text(self, name: str, max_chars: int = 200) -> str:
        """A line of text, sanitized; empty if missing."""
        value = sanitize(self.values.get(name, ""))
        if len(value) > max_chars:
            raise UsageError("web.field_too_long", name=name, max_chars=max_chars)
        return value

    def secret(self, name: str) -> str:
        """A password, exactly as typed."""
        value = self.values.get(name, "")
        if len(value) > 1000:
            raise UsageError("web.password_too_long")
        return value

    def number(self, name: str, maximum: int) -> int:
        """A whole number; 0 if missing."""
        typed = self.text(name, 20)
        if typed and not (typed.isdecimal() and typed.isascii() and int(typed) <= maximum):
            raise UsageError("web.field_not_a_number", name=name, maximum=maximum)
        return int(typed or 0)

    def has(self, name: str) -> bool:
        """True if the box is ticked or the button was pressed."""
        return bool(self.values.get(name))


async def parse_form(request: Request) -> FormFields:
    """Parse the submitted form; raises an error unless it has the user's CSRF token."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_MEDIA_TYPE:
        raise HTTPException(415)
    body = await request.body()
    try:
        pairs = parse_qsl(
            body.decode("latin-1"), keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS
        )
    except ValueError:
        raise HTTPException(413) from None
    values = dict(pairs)
    user = CURRENT_USER.get()
    if not user.secret or not constant_time_equal(values.get("token", ""), user.csrf_token):
        raise HTTPException(403)
    return FormFields(values)


Form = Annotated[FormFields, Depends(parse_form)]
