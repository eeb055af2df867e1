import { crc32, deflateSync } from 'node:zlib';

/** A colour: red, green, blue, each up to 255. */
export type Colour = readonly [number, number, number];

/** A PNG of vertical stripes: each has a width in pixels and a colour. */
export function striped(height: number, stripes: readonly (readonly [number, Colour])[]): Buffer {
  const row = Buffer.from([
    0,
    ...stripes.flatMap(([width, colour]) => Array.from({ length: width }, () => colour).flat()),
  ]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE((row.length - 1) / 3, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8); // 8 bits per channel; red, green and blue
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const frame = Buffer.alloc(4 + named.length + 4);
  frame.writeUInt32BE(data.length, 0);
  named.copy(frame, 4);
  frame.writeUInt32BE(crc32(named), 4 + named.length);
  return frame;
}
