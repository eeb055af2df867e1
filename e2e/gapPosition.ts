import { inflateSync } from 'node:zlib';

/** A decoded picture: the lightness and the opacity of each pixel, both from 0 to 1. */
type GreyImage = { width: number; height: number; light: Float64Array; opaque: Float64Array };

/**
 * Finds the place of a slider captcha's piece, in the 310 basis: where the picture below it is most
 * similar to the piece, apart from the shadow. Takes the two images as the server sends them, PNG
 * in base64. It misreads a rare picture (one in thirty).
 */
export function gapPosition(originalImageBase64: string, jigsawImageBase64: string): number {
  const background = decode(originalImageBase64);
  const strip = decode(jigsawImageBase64);
  const piece = opaquePixels(strip);
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let x = 47; x <= 263; x += 1) {
    const alike = correlation(piece, background, 2 * x);
    if (alike > most) {
      best = x;
      most = alike;
    }
  }
  return best;
}

type Pixel = { x: number; y: number; light: number };

/** The piece's pixels without its rim, which the gap does not have. */
function opaquePixels({ width, height, light, opaque }: GreyImage): Pixel[] {
  const spots: Pixel[] = [];
  const rim = 5;
  const solid = (x: number, y: number) => x >= 0 && x < width && y >= 0 && y < height && opaque[y * width + x] === 1;
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      if ([-rim, 0, rim].every((dx) => [-rim, 0, rim].every((dy) => solid(x + dx, y + dy)))) {
        spots.push({ x, y, light: light[y * width + x] as number });
      }
    }
  }
  return spots;
}

/**
 * The correlation of a picture's lightness with the piece's, when the piece is moved to the right
 * by some pixels.
 */
function correlation(piece: Pixel[], { width, light }: GreyImage, right: number): number {
  const n = piece.length;
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
  for (const spot of piece) {
    const under = light[spot.y * width + spot.x + right] as number;
    a += spot.light;
    b += under;
    aa += spot.light ** 2;
    bb += under ** 2;
    ab += spot.light * under;
  }
  return (ab - (a * b) / n) / (1e-9 + aa - (a * a) / n + bb - (b * b) / n);
}

/** Decodes a PNG of 8 bits per channel, with a palette or with red, green, blue and alpha. */
function decode(base64: string): GreyImage {
  const file = Buffer.from(base64, 'base64');
  const chunks = new Map<string, Buffer[]>();
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const kind = file.toString('latin1', at + 4, at + 8);
    chunks.set(kind, [...(chunks.get(kind) ?? []), file.subarray(at + 8, at + 8 + file.readUInt32BE(at))]);
  }
  const head = chunks.get('IHDR')?.[0] as Buffer;
  const [width, height, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9] === 3 ? 1 : 4];
  if (head[8] !== 8 || (head[9] !== 3 && head[9] !== 6)) {
    throw new Error(`a PNG of ${head[8]} bits and colour type ${head[9]}`);
  }
  const bytes = unfilter(inflateSync(Buffer.concat(chunks.get('IDAT') ?? [])), width * channels, height, channels);
  const palette = chunks.get('PLTE')?.[0];
  const light = new Float64Array(width * height);
  const opaque = new Float64Array(width * height).fill(1);
  for (let i = 0; i < light.length; i += 1) {
    const [from, at] = palette ? [palette, 3 * (bytes[i] as number)] : [bytes, 4 * i];
    light[i] = (2 * (from[at] as number) + 5 * (from[at + 1] as number) + (from[at + 2] as number)) / 8 / 255;
    if (!palette) {
      opaque[i] = (bytes[at + 3] as number) / 255;
    }
  }
  return { width, height, light, opaque };
}

/** Undoes the filters of PNG's rows (its specification, section 9). */
function unfilter(raw: Buffer, stride: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] as number;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= step ? (out[at - step] as number) : 0;
      const up = y > 0 ? (out[at - stride] as number) : 0;
      const corner = x >= step && y > 0 ? (out[at - stride - step] as number) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      out[at] = (raw[y * (stride + 1) + 1 + x] as number) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) {
    return left;
  }
  return b <= c ? up : corner;
}
