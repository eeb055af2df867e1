import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { maxFileBytes, openPicture } from './picture';

const heads = {
  jpeg: [0xff, 0xd8, 0xff, 0xe0],
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  webp: [...new TextEncoder().encode('RIFF\0\0\0\0WEBPVP8 ')],
};
const file = (head: readonly number[], length = 100, name = 'x.png') => {
  const bytes = new Uint8Array(length);
  bytes.set(head);
  return new File([bytes], name);
};

const bitmaps = vi.fn();
const bitmap = (width: number, height: number) => ({ width, height, close: vi.fn() });

beforeEach(() => {
  bitmaps.mockReset();
  vi.stubGlobal('createImageBitmap', bitmaps);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it.each(Object.entries(heads))('opens %s, recognized by its content, upright', async (_, head) => {
  bitmaps.mockResolvedValueOnce(bitmap(900, 600));
  const chosen = file(head, 100, 'holiday.gif');
  const picture = await openPicture(chosen);
  expect(picture).toMatchObject({ file: chosen, size: { width: 900, height: 600 } });
  expect(bitmaps).toHaveBeenCalledWith(chosen, { imageOrientation: 'from-image' });
});

it.each([
  ['a GIF named PNG', [...new TextEncoder().encode('GIF89a')]],
  ['an SVG', [...new TextEncoder().encode('<svg xmlns=')]],
  ['a sound in the same container format', [...new TextEncoder().encode('RIFF\0\0\0\0WAVE')]],
  ['nothing', []],
])('refuses %s', async (_, head) => {
  await expect(openPicture(file(head))).rejects.toMatchObject({ reason: 'avatar.wrongKind' });
  expect(bitmaps).not.toHaveBeenCalled();
});

it('accepts 5 MiB and not a byte more', async () => {
  bitmaps.mockResolvedValue(bitmap(10, 10));
  await expect(openPicture(file(heads.jpeg, maxFileBytes))).resolves.toBeDefined();
  await expect(openPicture(file(heads.jpeg, maxFileBytes + 1))).rejects.toMatchObject({ reason: 'avatar.tooLarge' });
});

it('reports pixels that cannot be read', async () => {
  bitmaps.mockRejectedValueOnce(new DOMException('no', 'InvalidStateError'));
  await expect(openPicture(file(heads.png))).rejects.toMatchObject({ reason: 'avatar.unreadable' });
});

it('draws a large picture smaller and still counts in the picture’s pixels', async () => {
  const whole = bitmap(6400, 3200);
  bitmaps.mockResolvedValueOnce(whole).mockResolvedValueOnce(bitmap(1600, 800));
  const picture = await openPicture(file(heads.jpeg));
  expect(picture.size).toEqual({ width: 6400, height: 3200 });
  expect(picture.image.width).toBe(1600);
  expect(bitmaps).toHaveBeenLastCalledWith(whole, expect.objectContaining({ resizeWidth: 1600, resizeHeight: 800 }));
  expect(whole.close).toHaveBeenCalled();
});
