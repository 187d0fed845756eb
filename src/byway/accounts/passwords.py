"""Password hashing (argon2id) with limited concurrency and constant time for unknown accounts."""

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
"""Maximum concurrent hash computations, each of which takes 64 MiB and about 0.1 s.

With several web workers, it is at least one in each.
"""
HASH_TIMEOUT_SECONDS = 5.0
"""Maximum wait for a free slot."""


class Passwords:
    """Password hasher and verifier, by default with argon2-cffi's cost parameters."""

    def __init__(self, hasher: PasswordHasher | None = None, workers: int = 1) -> None:
        """`workers`: the number of processes that compute hashes."""
        self._hasher = hasher or PasswordHasher()
        self._slots = threading.BoundedSemaphore(max(1, MAX_CONCURRENT_HASHES // workers))
        self._dummy_hash = _dummy_hash_for(self._hasher)

    def hash(self, password: str) -> str:
        """The hash to store instead of the password."""
        with self._slot():
            return self._hasher.hash(password)

    def verify(self, password: str, hash: str | None) -> bool:
        """Whether the password matches the hash; None never matches, but takes as long."""
        with self._slot():
            try:
                return self._hasher.verify(hash or self._dummy_hash, password) and hash is not None
            except (VerificationError, InvalidHashError):
                return False

    def needs_rehash(self, hash: str) -> bool:
        """Whether the hash was made with different cost parameters."""
        return self._hasher.check_needs_rehash(hash)

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._slots.acquire(timeout=HASH_TIMEOUT_SECONDS):
            raise OverloadError("accounts.too_many_logins")
        try:
            yield
        finally:
            self._slots.release()


def _dummy_hash_for(hasher: PasswordHasher) -> str:
    """A hash that no password matches: random bytes, which are quick to make and slow to verify."""
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, hash = (
        b64encode(secrets.token_bytes(length)).decode().rstrip("=")
        for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${cost}${salt}${hash}"


def validate_password(password: str, name: str = "") -> str:
    """The password, if it is long and varied enough."""
    if len(password) < MIN_PASSWORD_CHARS:
        raise UsageError("accounts.password_too_short", min_chars=MIN_PASSWORD_CHARS)
    if len(password.encode("utf-8", "replace")) > MAX_PASSWORD_BYTES:
        raise UsageError("accounts.password_too_long", max_bytes=MAX_PASSWORD_BYTES)
    if len(set(password)) < 4 or (name and name in password.casefold()):
        raise UsageError("accounts.password_too_easy")
    return password
