#!/usr/bin/env python3
"""Ed25519 signatures at the edges of the rule, each with the verdict that the rule gives, as JSON lines.

    python3 zip215_edges.py > edges.jsonl

The rule is ZIP-215, worked out here on Python's integers with the curve's own formulas, apart from all code of the
crypto part: A and R are any encodings of points (y need not be below p, and the sign of x = 0 may be set), S is below L,
and 8 S B = 8 R + 8 k A with k = SHA-512(R || A || M) mod L. Sources: ZIP 215; RFC 8032, section 5.1.

The same lines each time. What is made: every pair of encodings of points of small order, keys and R's with a part of
small order, S at and above L, encodings of no point, and each of these with something changed.
"""
import hashlib
import json

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1
ZERO = (0, 1)


def add(a, b):
    """RFC 8032, 5.1.4, in affine coordinates: slow, and without cases."""
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + t, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, -1, P) % P)


def times(k, point):
    out = ZERO
    while k:
        if k & 1:
            out = add(out, point)
        point = add(point, point)
        k >>= 1
    return out


def decode(data):
    """The point, or None. ZIP 215: y is taken modulo p, and the sign bit of x = 0 is no error."""
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255 % P, number >> 255
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    square = u * pow(v, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT % P
    if x * x % P != square:
        return None
    return (P - x if x % 2 != sign and x else x, y)


def encode(point, y_more=0, sign=None):
    x, y = point
    return ((y + y_more) | (x % 2 if sign is None else sign) << 255).to_bytes(32, "little")


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def challenge(r, a, message):
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % L


def valid(a, r, s, message):
    key, nonce = decode(a), decode(r)
    if key is None or nonce is None or s >= L:
        return False
    k = challenge(r, a, message)
    return times(8, times(s, BASE)) == add(times(8, nonce), times(8, times(k, key)))


def small_order():
    """Every encoding of the eight points whose order divides 8, canonical or not."""
    t = next(p for p in (times(L, decode(bytes([i]) + bytes(31)) or ZERO) for i in range(2, 99)) if times(4, p) != ZERO)
    out = []
    for i in range(8):
        point = times(i, t)
        for y_more in (0, P):
            for sign in (0, 1):
                data = encode(point, y_more, sign) if point[1] + y_more < 2**255 else None
                if data and decode(data) == point and data not in out:
                    out.append(data)
    return t, out


def scalar(*words):
    return int.from_bytes(hashlib.sha512(" ".join(map(str, words)).encode()).digest(), "little") % L


def cases():
    torsion, encodings = small_order()
    assert len(encodings) == 14  # as ZIP 215 counts them
    for a in encodings:
        for r in encodings:
            yield "small order", a, r, 0, b"Zcash"
    for i in range(24):
        secret, nonce, message = scalar("key", i), scalar("nonce", i), b"m" * i
        a = encode(add(times(secret, BASE), times(i % 8, torsion)))
        r = encode(add(times(nonce, BASE), times(i // 3 % 8, torsion)))
        s = (nonce + challenge(r, a, message) * secret) % L
        yield "with a part of small order", a, r, s, message
        yield "S and L more", a, r, s + L, message
        yield "another message", a, r, s, message + b"!"
        yield "S and 1 more", a, r, (s + 1) % L, message
        yield "the other sign of A", a[:31] + bytes([a[31] ^ 128]), r, s, message
        yield "the other sign of R", a, r[:31] + bytes([r[31] ^ 128]), s, message
    for s in (L - 1, L, L + 1, 2**252, 2**253 - 1, 2**255, 2**256 - 1):
        yield "S at the edge", encodings[0], encodings[0], s, b""
    for y in [*range(2, 40), *range(P - 20, P + 19)]:
        yield "any y as A", y.to_bytes(32, "little"), encodings[0], 0, b"y"
        yield "any y as R", encodings[0], (y | 1 << 255).to_bytes(32, "little"), 0, b"y"


def lines():
    for i, (what, a, r, s, message) in enumerate(cases()):
        yield {"id": f"{i} {what}", "key": a.hex(), "msg": message.hex(), "sig": (r + s.to_bytes(32, "little")).hex(),
               "valid": valid(a, r, s, message)}


if __name__ == "__main__":
    for line in lines():
        print(json.dumps(line))
