"""What is told about two objects."""


class ContactData:
    """A contact of two objects.

    Attributes:
        names: The set of both objects' names.
        point: (3,) float64, in the world.
        normal: (3,) float64 unit vector, in the world.
        depth: float, how deep the contact is.
    """

    def __init__(self, names, faces, point, normal, depth):
        self.names = set(names)
        self.point = point
        self.normal = normal
        self.depth = depth
        self._faces = dict(zip(names, faces))

    def index(self, name):
        """The face in contact of the object of that name."""
        return self._faces[name]


class DistanceData:
    """The least distance of two objects.

    Attributes:
        names: The set of both objects' names.
        distance: float; negative by the depth of two convex meshes that overlap.
    """

    def __init__(self, names, faces, points, distance):
        self.names = set(names)
        self.distance = distance
        self._faces = dict(zip(names, faces))
        self._points = dict(zip(names, points))

    def index(self, name):
        """The closest face of the object of that name."""
        return self._faces[name]

    def point(self, name):
        """The closest point, (3,) in the world, of the object of that name."""
        return self._points[name]
