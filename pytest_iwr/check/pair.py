"""Two pictures made comparable: brought to one scale, the same regions blanked."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytest_iwr import images
from pytest_iwr import records as r


class Pair(NamedTuple):
    """A reference and a shot, at one scale, with masked regions grey on both."""

    reference: images.Picture
    shot: images.Picture
    ignored: NDArray[np.bool_]
    """Height × width of the shot: what is masked."""
    masks: tuple[r.Box, ...]
    """The same as boxes, in pixels of both."""

    @property
    def is_same_size(self) -> bool:
        """Tell whether both have the same size."""
        return self.reference.shape == self.shot.shape

    @property
    def is_equal(self) -> bool:
        """Tell whether all pixels are equal."""
        return np.array_equal(self.reference, self.shot)

    @property
    def is_all_ignored(self) -> bool:
        """Tell whether the masks leave nothing to compare."""
        return bool(self.ignored.all())


def open_pair(
    reference: Path,
    shot: Path,
    masks: Sequence[r.Box] = (),
    diff: Path | None = None,
) -> Pair:
    """Open both; `masks` in pixels of the shot.

    A shot of twice the reference's size (both sides) is reduced to it, and the other
    way round. Writes a picture of the differences to `diff`. Raises CheckpointError.
    """
    ours, theirs = images.read(reference), images.read(shot)
    scale = images.scale_between(ours, theirs)
    if ours.size > theirs.size:
        ours = images.reduce(ours, scale)
    else:
        theirs = images.reduce(theirs, scale)
        masks = [box.scaled(1 / scale) for box in masks]
    if diff is not None:
        images.write(diff, images.show_differences(ours, theirs, masks))
    ignored = images.mask(np.zeros_like(theirs), masks)[..., 0] > 0
    blanked = images.mask(ours, masks), images.mask(theirs, masks)
    return Pair(*blanked, ignored, tuple(masks))
