import type { Size } from './crop';

/** The same limits as the server's. */
export const maxFileBytes = 5 * 1024 * 1024;
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;

export type PictureError = 'avatar.wrongKind' | 'avatar.tooLarge' | 'avatar.unreadable';

/** Larger pictures are drawn smaller: a phone's full photo would need a gigabyte of memory. */
const maxEdge = 1600;

export interface Picture {
  file: File;
  /** The size of the upright picture, which is also the server's unit. */
  size: Size;
  /** The pixels to draw; they may be fewer than `size`. */
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

/** The type of a file by its first bytes, since its name proves nothing. */
function typeOf(bytes: Uint8Array): string | null {
  const text = String.fromCharCode(...bytes);
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  return null;
}

/**
 * Reads a picture for cropping; rejects with RejectedPictureError if the server would refuse it.
 */
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
