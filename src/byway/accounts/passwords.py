"""Is this the password? argon2id, a few at a time, and as long for a name that nobody has."""

import secrets
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from byway.core.errors import OverloadError, UsageError

MIN_PASSWORD_CHARS, MAX_PASSWORD_BYTES = 10, 256
MAX_CONCURRENT_HASHES = 2
"""Hashes worked out at once: each takes 64 MiB and some 0.1 s, and more would be an attack."""
HASH_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for a turn."""


class Passwords:
    """Makes hashes and compares with them; the cost is argon2-cffi's own unless told otherwise."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turns = threading.BoundedSemaphore(MAX_CONCURRENT_HASHES)
        self._nobody = _hash_of_nobody(self._hasher)

    def hash(self, password: str) -> str:
        """What to keep in its place."""
        with self._turn():
            return self._hasher.hash(password)

    def verify(self, password: str, hash: str | None) -> bool:
        """Is it the password of that hash? None, for nobody's, takes as long and never is."""
        with self._turn():
            try:
                return self._hasher.verify(hash or self._nobody, password) and hash is not None
            except (VerificationError, InvalidHashError):
                return False

    def needs_rehash(self, hash: str) -> bool:
        """Was it made at another cost than we take now?"""
        return self._hasher.check_needs_rehash(hash)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=HASH_TIMEOUT_SECONDS):
            raise OverloadError("too many people are logging in just now; try again in a moment")
        try:
            yield
        finally:
            self._turns.release()


def _hash_of_nobody(hasher: PasswordHasher) -> str:
    """A hash that no password has: random bytes, as long to compare and quick to make."""
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, hash = (
        b64encode(secrets.token_bytes(length)).decode().rstrip("=")
        for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${cost}${salt}${hash}"


def validate_password(password: str, name: str = "") -> str:
    """A new password, if it is one that nobody guesses at once."""
    if len(password) < MIN_PASSWORD_CHARS:
        raise UsageError(f"the password is too short; use at least {MIN_PASSWORD_CHARS} characters")
    if len(password.encode("utf-8", "replace")) > MAX_PASSWORD_BYTES:
        raise UsageError(f"the password is too long; use at most {MAX_PASSWORD_BYTES} bytes")
    if len(set(password)) < 4 or (name and name in password.casefold()):
        raise UsageError("the password is too easy to guess; use a few words that are not the name")
    return password
