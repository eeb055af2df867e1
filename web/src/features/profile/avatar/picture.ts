import type { Size } from './crop';

/** The server's own bounds. */
export const largestFile = 5 * 1024 * 1024;
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;

export type PictureError = 'avatar.wrongKind' | 'avatar.tooLarge' | 'avatar.unreadable';

/** Longer edges are drawn smaller: a phone's whole photo would take a gigabyte to move about. */
const longestEdge = 1600;

export interface Picture {
  file: File;
  /** Of the upright picture, which is what the server counts in. */
  size: Size;
  /** To draw from; may be smaller than size. */
  image: ImageBitmap;
}

export class PictureRefused extends Error {
  readonly reason: PictureError;

  constructor(reason: PictureError) {
    super(reason);
    this.name = 'PictureRefused';
    this.reason = reason;
  }
}

/** What a file says it is by its first bytes; its name proves nothing. */
function typeOf(bytes: Uint8Array): string | null {
  const text = String.fromCharCode(...bytes);
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  return null;
}

/** Reads a picture for cropping; rejects with PictureRefused where the server would refuse it. */
export async function openPicture(file: File): Promise<Picture> {
  const head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  if (typeOf(head) === null) throw new PictureRefused('avatar.wrongKind');
  if (file.size > largestFile) throw new PictureRefused('avatar.tooLarge');
  let whole: ImageBitmap;
  try {
    whole = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    throw new PictureRefused('avatar.unreadable');
  }
  const size = { width: whole.width, height: whole.height };
  const share = longestEdge / Math.max(size.width, size.height);
  if (share >= 1) return { file, size, image: whole };
  const image = await createImageBitmap(whole, {
    resizeWidth: Math.max(1, Math.round(size.width * share)),
    resizeHeight: Math.max(1, Math.round(size.height * share)),
    resizeQuality: 'medium',
  });
  whole.close();
  return { file, size, image };
}
