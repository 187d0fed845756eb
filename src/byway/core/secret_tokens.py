"""Secret tokens: 256 random bits, their hashes and signatures."""

import hmac
import secrets
from hashlib import sha256

from byway.core.model.account import Secret


def new_secret() -> Secret:
    """A secret of 256 random bits."""
    return Secret(secrets.token_urlsafe(32))


def secret_hash(secret: str) -> bytes:
    """The hash to store. Secrets are random, so one round of SHA-256 is enough."""
    return sha256(secret.encode("utf-8", "replace")).digest()


def signature(secret: str, purpose: str) -> str:
    """The HMAC signature of a purpose, made with a secret."""
    return hmac.new(secret.encode("utf-8", "replace"), purpose.encode(), "sha256").hexdigest()


def constant_time_equal(one: str, other: str) -> bool:
    """Whether two strings are equal, compared in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
