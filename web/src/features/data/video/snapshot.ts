import { zonedDate } from '@/lib/format/zone';

/** Draws a video's current frame and saves it as a file. */
export async function savePicture(video: HTMLVideoElement, name: string): Promise<void> {
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.92));
  if (!blob) throw new Error('the picture could not be written');
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // By then the browser has started the download from the blob.
  setTimeout(() => URL.revokeObjectURL(address));
}

const pad = (value: number) => String(value).padStart(2, '0');

/** For example CAM-0093_2026-11-21_06-14-09.jpg. */
export function pictureName(deviceName: string, time: number): string {
  const date = zonedDate(time);
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join('-');
  return `${deviceName.replace(/[^\p{L}\p{N}._-]/gu, '_')}_${day}_${clock}.jpg`;
}
