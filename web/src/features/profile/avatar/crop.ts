/**
 * The square of a picture that is kept: its upper left corner and its side, in pixels of the
 * upright picture.
 */
export interface Crop {
  x: number;
  y: number;
  side: number;
}

export interface Size {
  width: number;
  height: number;
}

/** A smaller square is blurred at the size that the server keeps. */
const minSidePixels = 64;

export function maxSide({ width, height }: Size): number {
  return Math.min(width, height);
}

export function minSide(size: Size): number {
  return Math.min(minSidePixels, maxSide(size));
}

/** The largest square in the middle of the picture. */
export function centredCrop(size: Size): Crop {
  const side = maxSide(size);
  return { x: (size.width - side) / 2, y: (size.height - side) / 2, side };
}

/** The nearest square that lies inside the picture. */
function clampCrop({ x, y, side }: Crop, size: Size): Crop {
  const fitting = Math.min(Math.max(side, minSide(size)), maxSide(size));
  return {
    x: Math.min(Math.max(x, 0), size.width - fitting),
    y: Math.min(Math.max(y, 0), size.height - fitting),
    side: fitting,
  };
}

/**
 * Moves the picture under the frame by shares of the frame's side; positive means right or down.
 */
export function moveCrop(crop: Crop, size: Size, right: number, down: number): Crop {
  return clampCrop({ ...crop, x: crop.x - right * crop.side, y: crop.y - down * crop.side }, size);
}

/** Enlarges the picture by `factor`; the point at `at` (shares of the frame) stays where it is. */
export function zoomCrop(crop: Crop, size: Size, factor: number, at = { x: 0.5, y: 0.5 }): Crop {
  const side = Math.min(Math.max(crop.side / factor, minSide(size)), maxSide(size));
  return clampCrop({ x: crop.x + (crop.side - side) * at.x, y: crop.y + (crop.side - side) * at.y, side }, size);
}

/** The zoom, 0 to 1, with equal steps for equal factors. */
export function zoomOf(crop: Crop, size: Size): number {
  const range = Math.log(maxSide(size) / minSide(size));
  return range === 0 ? 0 : Math.log(maxSide(size) / crop.side) / range;
}

export function withZoom(crop: Crop, size: Size, zoom: number): Crop {
  const side = maxSide(size) * (minSide(size) / maxSide(size)) ** zoom;
  return zoomCrop(crop, size, crop.side / side);
}

/** `x,y,side` in whole pixels, never beyond the picture's edge. */
export function cropText(crop: Crop, size: Size): string {
  const side = Math.max(1, Math.floor(crop.side));
  const x = Math.min(Math.round(crop.x), size.width - side);
  const y = Math.min(Math.round(crop.y), size.height - side);
  return `${x},${y},${side}`;
}
