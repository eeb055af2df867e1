import type { Size } from './crop';

/** The server's own bounds. */
export const maxFileBytes = 5 * 1024 * 1024;
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;

export type PictureError = 'avatar.wrongKind' | 'avatar.tooLarge' | 'avatar.unreadable';

/** Longer edges are drawn smaller: a phone's whole photo would take a gigabyte to move about. */
const maxEdge = 1600;

export interface Picture {
  file: File;
  /** Of the upright picture, which is what the server counts in. */
  size: Size;
  /** To draw from; may be smaller than size. */
  image: ImageBitmap;
}

export class RejectedPictureError extends Error {
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
  if (typeOf(head) === null) throw new RejectedPictureError('avatar.wrongKind');
  if (file.size > maxFileBytes) throw new RejectedPictureError('avatar.tooLarge');
  let fullSize: ImageBitmap;
  try {
    fullSize = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    throw new RejectedPictureError('avatar.unreadable');
  }
  const size = { width: fullSize.width, height: fullSize.height };
  const share = maxEdge / Math.max(size.width, size.height);
  if (share >= 1) return { file, size, image: fullSize };
  const image = await createImageBitmap(fullSize, {
    resizeWidth: Math.max(1, Math.round(size.width * share)),
    resizeHeight: Math.max(1, Math.round(size.height * share)),
    resizeQuality: 'medium',
  });
  fullSize.close();
  return { file, size, image };
}
