"""Exact geometry of triangles, convex polyhedra and boxes, by brute force in integers and fractions.

Nothing here rounds. Points are tuples of three integers (or Fractions), a triangle is a tuple of three points. The
formulas are textbook ones, chosen to be short and easy to check, not to be fast.
"""

import math
from fractions import Fraction
from itertools import product


def sub(p, q):
    return (p[0] - q[0], p[1] - q[1], p[2] - q[2])


def dot(p, q):
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def cross(p, q):
    return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])


def orient(a, b, c, d):
    """Six times the signed volume of a tetrahedron: positive if a, b, c turn left as seen from d."""
    return dot(cross(sub(b, a), sub(c, a)), sub(d, a))


def edges(triangle):
    a, b, c = triangle
    return ((a, b), (b, c), (c, a))


def bounds(points):
    return tuple(map(min, zip(*points))), tuple(map(max, zip(*points)))


# Triangles


def is_on_segment(p, q, r):
    """Whether p is on the closed segment from q to r."""
    return cross(sub(q, p), sub(r, p)) == (0, 0, 0) and dot(sub(q, p), sub(r, p)) <= 0


def segments_touch(p, q, r, s):
    d, e, w = sub(q, p), sub(s, r), sub(r, p)
    n = cross(d, e)
    length = dot(n, n)
    if length == 0:
        # Parallel, or points: if they touch, an end of one is on the other.
        return any((is_on_segment(p, r, s), is_on_segment(q, r, s), is_on_segment(r, p, q), is_on_segment(s, p, q)))
    return dot(n, w) == 0 and 0 <= dot(cross(w, e), n) <= length and 0 <= dot(cross(w, d), n) <= length


def projects_into(p, triangle, n):
    """Whether p is on the closed triangle once it is projected along the triangle's normal n."""
    return all(dot(cross(sub(v, u), sub(p, u)), n) >= 0 for u, v in edges(triangle))


def edge_touches_face(p, q, triangle):
    """Whether the closed segment pq meets the closed triangle. A segment in the triangle's plane, or a triangle without
    area, is left to `segments_touch`, except that an end on the face is found here."""
    a, b, c = triangle
    n = cross(sub(b, a), sub(c, a))
    if n == (0, 0, 0):
        return False
    side_p, side_q = dot(n, sub(p, a)), dot(n, sub(q, a))
    if side_p == 0 and side_q == 0:
        return projects_into(p, triangle, n) or projects_into(q, triangle, n)
    if (side_p > 0 and side_q > 0) or (side_p < 0 and side_q < 0):
        return False
    signs = [orient(p, q, u, v) for u, v in edges(triangle)]
    return all(x >= 0 for x in signs) or all(x <= 0 for x in signs)


def triangles_touch(s, t):
    """Whether two closed triangles share a point. Triangles without area are the segments or points that they are."""
    return (
        any(edge_touches_face(p, q, t) for p, q in edges(s))
        or any(edge_touches_face(p, q, s) for p, q in edges(t))
        or any(segments_touch(*e, *f) for e in edges(s) for f in edges(t))
    )


def triangles_distance_sq(s, t):
    """The squared distance between two triangles that don't touch: the least over all pairs of features that face each
    other."""
    best = None

    def offer(numerator, denominator):
        nonlocal best
        if best is None or numerator * best[1] < best[0] * denominator:
            best = (numerator, denominator)

    for one, other in ((s, t), (t, s)):
        n = cross(sub(other[1], other[0]), sub(other[2], other[0]))
        for p in one:
            for u in other:
                offer(dot(sub(p, u), sub(p, u)), 1)
            for u, v in edges(other):
                d, w = sub(v, u), sub(p, u)
                along, length = dot(w, d), dot(d, d)
                if 0 < along < length:
                    offer(dot(w, w) * length - along * along, length)
            if n != (0, 0, 0) and projects_into(p, other, n):
                offer(dot(n, sub(p, other[0])) ** 2, dot(n, n))
    for p, q in edges(s):
        for r, u in edges(t):
            d, e, w = sub(q, p), sub(u, r), sub(r, p)
            n = cross(d, e)
            length = dot(n, n)
            if length and 0 < dot(cross(w, e), n) < length and 0 < dot(cross(w, d), n) < length:
                offer(dot(n, w) ** 2, length)
    return Fraction(*best)


# Meshes, as lists of triangles


def box_gap_sq(a, b):
    """The squared distance between two axis-aligned boxes, a lower bound of that of what is in them."""
    gaps = (max(0, lo_b - hi_a, lo_a - hi_b) for lo_a, hi_a, lo_b, hi_b in zip(*a, *b))
    return sum(gap * gap for gap in gaps)


def touching_pairs(a, b):
    """All pairs (face of a, face of b) of triangles that touch, sorted."""
    boxes_a, boxes_b = [bounds(t) for t in a], [bounds(t) for t in b]
    return [
        (i, j)
        for i, box_a in enumerate(boxes_a)
        for j, box_b in enumerate(boxes_b)
        if all(lo_a <= hi_b and lo_b <= hi_a for lo_a, hi_a, lo_b, hi_b in zip(*box_a, *box_b))
        and triangles_touch(a[i], b[j])
    ]


def distance_sq(a, b):
    """The least squared distance of triangles of a and b, which don't touch. Pairs whose boxes are farther apart than
    the best so far are left out, which changes nothing."""
    boxes_a, boxes_b = [bounds(t) for t in a], [bounds(t) for t in b]
    order = sorted((box_gap_sq(p, q), i, j) for i, p in enumerate(boxes_a) for j, q in enumerate(boxes_b))
    best = None
    for gap, i, j in order:
        if best is not None and gap >= best:
            break
        found = triangles_distance_sq(a[i], b[j])
        best = found if best is None else min(best, found)
    return best


def crosses_beyond(s, t, margin):
    """Whether an edge of one triangle passes through the other so clearly that this stays so however all vertices move
    by at most `margin`: the five determinants that say so exceed what such moves can change."""

    def passes(p, q, triangle):
        a, b, c = triangle
        points = (p, q, a, b, c)
        longest = max(abs(x) for u in points for v in points for x in sub(u, v)) * 2  # at least any length
        step = 2 * margin
        most = 3 * longest * longest * step + 3 * longest * step * step + step**3
        sides = orient(a, b, c, p), orient(a, b, c, q)
        around = [orient(p, q, u, v) for u, v in edges(triangle)]
        return (
            min(map(abs, [*sides, *around])) > most
            and sides[0] * sides[1] < 0
            and (all(x > 0 for x in around) or all(x < 0 for x in around))
        )

    return any(passes(p, q, t) for p, q in edges(s)) or any(passes(p, q, s) for p, q in edges(t))


def holds_within(a, b, pairs, margin):
    """Whether exactly these pairs of triangles touch, however all vertices move by at most `margin`."""
    touching = set(pairs)
    if not all(crosses_beyond(a[i], b[j], margin) for i, j in pairs):
        return False
    wide = (2 * margin) ** 2
    boxes_a, boxes_b = [bounds(t) for t in a], [bounds(t) for t in b]
    return all(
        (i, j) in touching or box_gap_sq(p, q) > wide * 4 or triangles_distance_sq(a[i], b[j]) > wide * 4
        for i, p in enumerate(boxes_a)
        for j, q in enumerate(boxes_b)
    )


# Convex polyhedra


def primitive(v):
    """The direction of an integer vector, without its length and sign."""
    g = math.gcd(*v)
    v = tuple(x // g for x in v)
    return max(v, tuple(-x for x in v))


def directions(triangles):
    """Directions of faces' normals and of edges, each once."""
    normals = {primitive(cross(sub(b, a), sub(c, a))) for a, b, c in triangles}
    return normals, {primitive(sub(q, p)) for t in triangles for p, q in edges(t)}


def separating_axes(a, b):
    """Directions of which one separates two convex polyhedra, if any plane does."""
    (normals_a, edges_a), (normals_b, edges_b) = directions(a), directions(b)
    crosses = {primitive(n) for n in (cross(d, e) for d, e in product(edges_a, edges_b)) if n != (0, 0, 0)}
    return sorted(normals_a | normals_b | crosses)


def extent_along(points, axis):
    along = [dot(p, axis) for p in points]
    return min(along), max(along)


def vertices(triangles):
    return sorted({p for t in triangles for p in t})


def convex_overlap_sq(a, b):
    """The squared depth of two convex polyhedra: of the shortest translation after which their interiors are disjoint.
    Zero if they touch, None if they have no point in common. The shortest translation is along a separating axis."""
    points_a, points_b = vertices(a), vertices(b)
    best = None
    for axis in separating_axes(a, b):
        (lo_a, hi_a), (lo_b, hi_b) = extent_along(points_a, axis), extent_along(points_b, axis)
        overlap = min(hi_a - lo_b, hi_b - lo_a)
        if overlap < 0:
            return None
        depth = Fraction(overlap * overlap, dot(axis, axis))
        best = depth if best is None else min(best, depth)
    return best


def is_convex(triangles):
    return all(orient(*t, p) <= 0 for t in triangles for p in vertices(triangles))


def convex_holds(outer, inner):
    return all(orient(*t, p) <= 0 for t in outer for p in vertices(inner))


def convex_relation(a, b):
    """The relation of two convex polyhedra as solids, or None if they are equal."""
    overlap = convex_overlap_sq(a, b)
    if not overlap:
        return "separate" if overlap is None else "touching"
    a_in_b, b_in_a = convex_holds(b, a), convex_holds(a, b)
    if a_in_b and b_in_a:
        return None
    return "a_in_b" if a_in_b else "b_in_a" if b_in_a else "crossing"


def is_inside(point, triangles):
    """Whether a point that is not on a closed surface is inside: a line from it crosses the surface an odd number of
    times. Lines that meet an edge are not counted; another is tried."""
    lo, hi = bounds(vertices(triangles))
    far = 4 * (sum(hi) - sum(lo)) + sum(map(abs, sub(point, lo)))
    for k in range(1, 99):
        end = (point[0] + far, point[1] + far * k // 7 + k, point[2] + far * k // 11 + 2 * k)
        crossings, clear = 0, True
        for t in triangles:
            sides = orient(*t, point), orient(*t, end)
            around = [orient(point, end, u, v) for u, v in edges(t)]
            inner = min(around) >= 0 or max(around) <= 0
            if inner and 0 in around:
                clear = False
                break
            crossings += inner and sides[0] * sides[1] < 0
        if clear:
            return crossings % 2 == 1
    raise ValueError("no line from the point misses all edges")


def convex_contact_time(a, b, way, grow=0):
    """The first time, 0 or later, at which convex b, moved by `way` times the time, touches convex a, or None. A plane
    that separates them may be taken along the same axes at all times. `grow` makes both meet that much earlier, in each
    coordinate."""
    points_a, points_b = vertices(a), vertices(b)
    first, last = Fraction(0), None
    for axis in separating_axes(a, b):
        (lo_a, hi_a), (lo_b, hi_b) = extent_along(points_a, axis), extent_along(points_b, axis)
        speed, more = dot(way, axis), grow * sum(map(abs, axis))
        if speed == 0:
            if hi_a - lo_b + more < 0 or hi_b - lo_a + more < 0:
                return None
            continue
        enter, leave = sorted((Fraction(lo_a - hi_b - more) / speed, Fraction(hi_a - lo_b + more) / speed))
        if enter > leave:
            return None
        first, last = max(first, enter), leave if last is None else min(last, leave)
    return first if last is None or first <= last else None


# Solids of axis-aligned boxes, each a pair of corners, which overlap nowhere within one solid


def box_volume(box):
    return math.prod(max(0, hi - lo) for lo, hi in zip(*box))


def common_volume(a, b):
    meet = ((tuple(map(max, p[0], q[0])), tuple(map(min, p[1], q[1]))) for p in a for q in b)
    return sum(box_volume(box) for box in meet if all(lo < hi for lo, hi in zip(*box)))


def boxes_relation(a, b, surfaces_touch):
    """The relation of two solids of boxes, given whether their surfaces have a point in common."""
    common = common_volume(a, b)
    if common == 0:
        return "touching" if surfaces_touch else "separate"
    if common == sum(map(box_volume, a)):
        return "a_in_b"
    return "b_in_a" if common == sum(map(box_volume, b)) else "crossing"


def boxes_depth_sq(a, b, grow=0):
    """The squared length of the shortest translation of b after which no box of b overlaps one of a. Translations
    that leave two boxes overlapping are an open box; the shortest outside them all has coordinates that are 0 or on a
    face of such a box. `grow` makes each of these boxes larger."""
    blocked = [
        tuple((lo_a - hi_b - grow, hi_a - lo_b + grow) for lo_a, hi_a, lo_b, hi_b in zip(*p, *q)) for p in a for q in b
    ]
    axes = [sorted({0} | {x for box in blocked for x in box[axis]}, key=abs) for axis in range(3)]
    best = None
    for x, y in product(axes[0], axes[1]):
        if best is not None and x * x + y * y >= best:
            continue
        column = [box[2] for box in blocked if box[0][0] < x < box[0][1] and box[1][0] < y < box[1][1]]
        for z in axes[2]:
            length = x * x + y * y + z * z
            if best is not None and length >= best:
                break
            if not any(lo < z < hi for lo, hi in column):
                best = length
                break
    return best


def boxes_contact_time(a, b, way, grow=0):
    """The first time, 0 or later, at which a box of b, moved by `way` times the time, touches one of a, or None."""
    best = None
    for (lo_a, hi_a), (lo_b, hi_b) in product(a, b):
        first, last = Fraction(0), None
        for axis, speed in enumerate(way):
            lo, hi = lo_a[axis] - hi_b[axis] - grow, hi_a[axis] - lo_b[axis] + grow
            if speed == 0:
                if lo > 0 or hi < 0:
                    break
                continue
            enter, leave = sorted((Fraction(lo) / speed, Fraction(hi) / speed))
            first, last = max(first, enter), leave if last is None else min(last, leave)
        else:
            if last is None or first <= last:
                best = first if best is None else min(best, first)
    return best


# Doubles around exact numbers


def double_bounds(exact):
    """The two neighbouring doubles, or the one, around a fraction."""
    near = exact.numerator / exact.denominator  # Python rounds this correctly
    if Fraction(near) == exact:
        return near, near
    return (
        (near, math.nextafter(near, math.inf)) if Fraction(near) < exact else (math.nextafter(near, -math.inf), near)
    )


def root_bounds(square):
    """The two neighbouring doubles, or the one, around the square root of a fraction."""
    if square == 0:
        return 0.0, 0.0
    # A root with more bits than a double has, rounded down, and the next one.
    shift = max(0, 130 + square.denominator.bit_length() - square.numerator.bit_length()) // 2 + 1
    scaled = (square.numerator << (2 * shift)) // square.denominator
    root = math.isqrt(scaled)
    if Fraction(root, 1 << shift) ** 2 == square:
        return double_bounds(Fraction(root, 1 << shift))
    low, high = double_bounds(Fraction(root, 1 << shift))[0], double_bounds(Fraction(root + 1, 1 << shift))[1]
    while high > math.nextafter(low, math.inf):
        middle = math.nextafter(low, math.inf)
        low, high = (middle, high) if Fraction(middle) ** 2 <= square else (low, middle)
    return low, high


def sine_bounds(quarter_turns):
    """Fractions around the sine of a fraction of a quarter turn, 0 to 1, by the Taylor series and Machin's formula."""

    def arctan(denominator):
        terms = [Fraction((-1) ** k, (2 * k + 1) * denominator ** (2 * k + 1)) for k in range(40)]
        return sum(terms[:-1]), abs(terms[-1])

    (five, error_five), (large, error_large) = arctan(5), arctan(239)
    quarter, error = 8 * five - 2 * large, 8 * error_five + 2 * error_large

    def series(x):
        terms = [(-1) ** k * x ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(14)]
        return sum(terms[:-1]), abs(terms[-1])

    low, high = (quarter - error) * quarter_turns, (quarter + error) * quarter_turns
    cut = 10**40
    low, high = Fraction(math.floor(low * cut), cut), Fraction(math.ceil(high * cut), cut)
    below, above = series(low), series(high)
    return below[0] - below[1], above[0] + above[1]
